import { DiagnosticEvent } from '../support/diagnostic-event.ts';
import { Problem, type ProblemType, problemType } from './problem.ts';

/** A quota goes by the variable of the environment that sets its size. */
export type QuotaName =
  | 'WORKSPACES_PER_PERSON'
  | 'QUEUED_RUNS_PER_WORKSPACE'
  | 'RUN_BYTES_PER_WORKSPACE'
  | 'WAITING_PER_CALLER'
  | 'WAITING_PER_PROCESS';

export const QuotaReached = problemType('QUOTA_REACHED', 409, 'A quota is reached');
export const TooManyWaiting = problemType('TOO_MANY_WAITING', 429, 'Too many requests wait');

/** This process has refused something by a quota. */
export const quotaRefused = new DiagnosticEvent<{ quota: QuotaName }>('quota-refused');

/** Refuses what would pass a quota. The detail is a sentence that says what the quota allows. */
export function quotaProblem(
  type: ProblemType,
  quota: QuotaName,
  limit: number,
  detail: string,
  retryAfter?: number,
): Problem {
  quotaRefused.publish({ quota });
  const members = { quota, limit };
  return new Problem(type, detail, { members, ...(retryAfter ? { retryAfter } : {}) });
}
