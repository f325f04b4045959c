import { DiagnosticEvent } from '../support/diagnostic-event.ts';
import { Problem, type ProblemType, problemType } from './problem.ts';

/** The name of a quota is the variable of the environment with its limit. */
export type QuotaName =
  | 'WORKSPACES_PER_PERSON'
  | 'DIRECTORY_ENTRIES_PER_DAY'
  | 'SERVICE_ACCOUNTS_PER_WORKSPACE'
  | 'API_KEYS_PER_WORKSPACE'
  | 'INVITATIONS_PER_WORKSPACE'
  | 'TRANSFORMATION_TESTS_PER_FLOW'
  | 'EVENT_SUBSCRIPTIONS_PER_WORKSPACE'
  | 'RECORDINGS_PER_WORKSPACE'
  | 'EVENTS_PER_RECORDING'
  | 'BYTES_PER_RECORDING'
  | 'ATTACHMENTS_PER_CONVERSATION'
  | 'ATTACHMENT_BYTES_PER_WORKSPACE'
  | 'QUEUED_RUNS_PER_WORKSPACE'
  | 'RUN_BYTES_PER_WORKSPACE'
  | 'SCHEDULES_PER_FLOW'
  | 'SCHEDULES_PER_WORKSPACE'
  | 'WEBHOOKS_PER_FLOW'
  | 'WEBHOOKS_PER_WORKSPACE'
  | 'WAITING_PER_CALLER'
  | 'WAITING_PER_PROCESS'
  | 'UPLOADS_PER_CALLER'
  | 'UPLOADS_PER_PROCESS'
  | 'DOWNLOADS_PER_CALLER'
  | 'DOWNLOADS_PER_PROCESS';

export const QuotaReached = problemType('QUOTA_REACHED', 409, 'A quota is reached');
export const TooManyWaiting = problemType('TOO_MANY_WAITING', 429, 'Too many requests wait');

/** The event of a request that a quota refused. */
export const quotaRefused = new DiagnosticEvent<{ quota: QuotaName }>('quota-refused');

/** Makes the problem of a request beyond a quota. The detail is a sentence that tells the limit. */
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
