import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { endOf } from './leased-run.ts';

export type WantedCancel = Pick<RunDocument, '_id' | 'worker' | 'cancelRequestedAt'>;

/** A worker that has not ended a run it was asked to end by then is dead or busy: it is done for it. */
const IGNORED_AFTER_MS = 3_000;

/** Runs that somebody wants cancelled and that have not ended. */
export const cancelsWanted = (): Promise<WantedCancel[]> =>
  RunModel.find(
    { cancelRequestedAt: { $gt: new Date(0) } },
    { worker: 1, cancelRequestedAt: 1 },
  ).lean<WantedCancel[]>();

/** Ends the run if its worker did not do so in time: its writes are refused from then on. */
export async function endIfIgnored({ _id, cancelRequestedAt }: WantedCancel): Promise<boolean> {
  if (!cancelRequestedAt || Date.now() - cancelRequestedAt.getTime() < IGNORED_AFTER_MS)
    return false;
  const { modifiedCount } = await RunModel.updateOne(
    { _id, live: true },
    { ...endOf({ status: 'CANCELLED' }, new Date()), $inc: { fence: 1 } },
  );
  return modifiedCount > 0;
}
