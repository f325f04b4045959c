import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { endUpdateOf } from './leased-run.ts';

export type CancelRequest = Pick<RunDocument, '_id' | 'worker' | 'cancelRequestedAt'>;

/** A worker that has not ended a run it was asked to end by then is dead or busy: it is done for it. */
const CANCEL_TIMEOUT_MS = 3_000;

/** Runs that somebody wants cancelled and that have not ended. */
export const findCancelRequests = (): Promise<CancelRequest[]> =>
  RunModel.find(
    { cancelRequestedAt: { $gt: new Date(0) } },
    { worker: 1, cancelRequestedAt: 1 },
  ).lean<CancelRequest[]>();

/** Ends the run if its worker did not do so in time: its writes are refused from then on. */
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
