import { isProblem, NotFound, Problem } from '../../../../contract/problem.ts';
import type { ScheduleDocument } from '../../../../models/schedule.model.ts';
import { isTransientError } from '../../../../support/transient-errors.ts';
import type { Actions } from '../../../contracts.ts';
import { TooManyStarts } from '../../../runs/runs.problems.ts';
import type { LeasedSchedule } from './leased-schedules.ts';

/** Milliseconds before the end of a lease from which a start is too late: the clocks of two processes may differ by them. */
const LEASE_MARGIN_MS = 3_000;
/** Attempts of a start that fails for an unknown reason. Beyond them the start counts as refused. */
const MAX_UNKNOWN_FAILURES = 10;
/** Milliseconds until the second attempt. Each further one waits twice as long. */
const FIRST_BACKOFF_MS = 500;
/** Milliseconds that an attempt waits at most. */
const MAX_BACKOFF_MS = 30_000;
/** Characters of a refusal that are stored for operators; the rest is cut off. */
const MAX_DETAIL = 300;

type LastOccurrence = NonNullable<ScheduleDocument['lastOccurrence']>;

/** The end of an attempt to start an occurrence. */
export type StartEnd =
  /** The occurrence is over. `decidedAt` is the time at which it was started or refused. */
  | { kind: 'over'; last: LastOccurrence; decidedAt: Date | null }
  /** A dependency is unavailable: the occurrence is started later. */
  | { kind: 'postponed'; backoffMs: number }
  /** The flow is gone. */
  | { kind: 'orphaned' }
  /** The lease has ended: another scheduler has the schedule. */
  | { kind: 'lost' };

export type StartRun = (
  params: Actions['runs.startTriggered']['params'],
) => Promise<Actions['runs.startTriggered']['result']>;

/** Starts the run of an occurrence. A repeated start of the same occurrence is the same run. */
export async function startOccurrence(
  schedule: LeasedSchedule,
  occurrence: Date,
  startRun: StartRun,
): Promise<StartEnd> {
  try {
    const result = await startRun(startOf(schedule, occurrence));
    if (result.outcome === 'TOO_LATE') return { kind: 'lost' };
    const last: LastOccurrence = { at: occurrence, outcome: result.outcome };
    if (result.outcome === 'OVERLAPPED') return { kind: 'over', last, decidedAt: null };
    const { runId, createdAt } = result;
    return { kind: 'over', last: { ...last, runId }, decidedAt: new Date(createdAt) };
  } catch (error) {
    if (isProblem(error, NotFound)) return { kind: 'orphaned' };
    return failureOf(schedule, occurrence, error);
  }
}

function startOf(
  { _id, workspaceId, flowId, input, configuration, overlap, dueAt }: LeasedSchedule,
  occurrence: Date,
): Parameters<StartRun>[0] {
  return {
    workspaceId,
    flowId,
    startKey: `schedule/${_id}/${occurrence.toISOString()}`,
    startedBy: { type: 'system', id: _id, name: 'schedule' },
    input,
    configuration,
    skipsOverlap: overlap === 'SKIP',
    notAfter: new Date(dueAt.getTime() - LEASE_MARGIN_MS).toISOString(),
  };
}

function failureOf({ attempts = 0 }: LeasedSchedule, at: Date, error: unknown): StartEnd {
  const isTemporary = isTransientError(error) || isProblem(error, TooManyStarts);
  const isOver = !isTemporary && (isRefusal(error) || attempts >= MAX_UNKNOWN_FAILURES);
  if (!isOver) return { kind: 'postponed', backoffMs: backoffAfter(attempts) };
  const code = error instanceof Problem ? error.type : 'INTERNAL_ERROR';
  const detail = String((error as Error)?.message ?? error).slice(0, MAX_DETAIL);
  return { kind: 'over', last: { at, outcome: 'REFUSED', code, detail }, decidedAt: null };
}

/** Whether a repetition would be refused as well. */
const isRefusal = (error: unknown): boolean => error instanceof Problem && error.code < 500;

/** Milliseconds until the next attempt: exponential, with jitter of up to one half. */
function backoffAfter(attempts: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempts);
  return full * (0.5 + Math.random() / 2);
}
