import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { endUpdateOf } from './leased-run.ts';

export type CancelRequest = Pick<RunDocument, '_id' | 'worker' | 'cancelRequestedAt'>;

/** Milliseconds that a worker has to end a run after the request to cancel it. Then any worker may end it. */
const CANCEL_TIMEOUT_MS = 3_000;
/** The database itself decides that a cancel was ignored. */
const IGNORED_NOW = {
  $expr: { $lte: ['$cancelRequestedAt', { $subtract: ['$$NOW', CANCEL_TIMEOUT_MS] }] },
};

/** Finds the runs that have not ended although their cancel was requested. */
export const findCancelRequests = (): Promise<CancelRequest[]> =>
  RunModel.find(
    { cancelRequestedAt: { $gt: new Date(0) } },
    { worker: 1, cancelRequestedAt: 1 },
  ).lean<CancelRequest[]>();

/** Ends a run whose worker did not end it in time. The raised fence refuses that worker's later writes. */
export async function endIgnoredCancel({
  _id,
  cancelRequestedAt,
}: CancelRequest): Promise<boolean> {
  const now = databaseClock.date();
  if (!cancelRequestedAt || now.getTime() - cancelRequestedAt.getTime() < CANCEL_TIMEOUT_MS)
    return false;
  const { modifiedCount } = await RunModel.updateOne(
    { _id, live: true, ...IGNORED_NOW },
    { ...endUpdateOf({ status: 'CANCELLED' }, now, null), $inc: { fence: 1 } },
  );
  return modifiedCount > 0;
}
