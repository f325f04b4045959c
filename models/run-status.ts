/** The statuses of a run: QUEUED → RUNNING ⇄ WAITING → SUCCESS, FAILED, CANCELLED or TIMED_OUT. */
export const RUN_STATUSES = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
  'TIMED_OUT',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Whether a run of this status has ended: its status never changes again. */
export const hasEnded = (status: RunStatus): boolean =>
  status !== 'QUEUED' && status !== 'RUNNING' && status !== 'WAITING';

/** The statuses of runs that have not ended. */
export const LIVE_STATUSES = RUN_STATUSES.filter((status) => !hasEnded(status));
