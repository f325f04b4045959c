import type { RunStatus } from '../../models/run-status.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** A worker of this process has begun a new run, `waitedMs` after its creation. */
export const runBegun = new DiagnosticEvent<{ waitedMs: number }>('run-begun');

/** A worker of another process has stopped beating, and this process takes its runs over. */
export const workerLost = new DiagnosticEvent<Record<string, never>>('worker-lost');

/** This many ready runs matched no claim of this process twice in a row, as of the last poll. */
export const runsUnmatched = new DiagnosticEvent<{ runs: number }>('runs-unmatched');

/** A worker of this process has written entries of a run's journal, or the run's suspension or end. */
export const runProgressed = new DiagnosticEvent<{ runId: number; hasEnded?: true }>(
  'run-progressed',
);

/** A run has ended in this process, `ms` after its start; 0 for a run that never started. */
export const runEnded = new DiagnosticEvent<{ status: RunStatus; ms: number }>('run-ended');
