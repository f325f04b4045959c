import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { endUpdateOf } from './leased-run.ts';

export type CancelRequest = Pick<RunDocument, '_id' | 'worker' | 'cancelRequestedAt'>;

/** Milliseconds that a worker has to end a run after the request to cancel it. Then any worker may end it. */
const CANCEL_TIMEOUT_MS = 3_000;

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
  if (!cancelRequestedAt || Date.now() - cancelRequestedAt.getTime() < CANCEL_TIMEOUT_MS)
    return false;
  const { modifiedCount } = await RunModel.updateOne(
    { _id, live: true },
    { ...endUpdateOf({ status: 'CANCELLED' }, new Date()), $inc: { fence: 1 } },
  );
  return modifiedCount > 0;
}
