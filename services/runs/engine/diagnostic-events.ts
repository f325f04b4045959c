import { DiagnosticEvent } from '../../../support/diagnostic-event.ts';
import type { RunStatus } from '../contract/resources.ts';

/** A worker of this process begins with a new run; `waitedMs` since it was created. */
export const runBegun = new DiagnosticEvent<{ waitedMs: number }>('run-begun');

/** A worker elsewhere stood still or is gone: this process takes its runs over. */
export const workerLost = new DiagnosticEvent<Record<string, never>>('worker-lost');

/** A run has ended in this process; `ms` since it began, 0 for one that nobody worked on. */
export const runEnded = new DiagnosticEvent<{ status: RunStatus; ms: number }>('run-ended');
