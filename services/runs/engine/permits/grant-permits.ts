import { isDuplicateKey } from '../../../../mixins/database/database.ts';
import { RunModel } from '../../../../models/run.model.ts';
import { type Grant, planGrants, type WaitingForPermit } from './plan-grants.ts';

/** The most runs that one look considers; the next look considers further runs. */
const MAX_GRANTS = 16;

const REQUESTED = { permitRequestedAt: { $exists: true } } as const;

/**
 * Gives the free permits of a flow to the runs that wait for one, from the longest wait on, and makes these runs ready.
 * Returns the number of runs that have become ready.
 *
 * The permit is a field of the run, which changes with the run's state in one write: a crash leaves no permit behind. The
 * unique index on `permit` refuses a permit that another process has given away.
 */
export async function grantPermits(flowId: number): Promise<number> {
  for (let granted = 0; ; ) {
    const waiting = await findWaiting(flowId);
    const grants = waiting.length ? planGrants(waiting, await findPermits(flowId)) : [];
    if (!grants.length) return granted;
    const given = await Promise.all(grants.map(grantPermit));
    granted += given.filter(Boolean).length;
  }
}

const findWaiting = (flowId: number): Promise<WaitingForPermit[]> =>
  RunModel.find({ flowId, ...REQUESTED }, { concurrency: 1 })
    .sort({ permitRequestedAt: 1, _id: 1 })
    .limit(MAX_GRANTS)
    .read('primary')
    .lean<WaitingForPermit[]>();

/** Reads the permits of a flow that are in use from their index alone. */
async function findPermits(flowId: number): Promise<number[]> {
  const holders = await RunModel.find({ flowId, permit: { $gte: 0 } }, { _id: 0, permit: 1 })
    .read('primary')
    .lean();
  return holders.flatMap(({ permit }) => permit ?? []);
}

/** Returns false where the run waits no longer, or where another run has the permit. */
async function grantPermit({ runId, permit }: Grant): Promise<boolean> {
  try {
    const { matchedCount } = await RunModel.updateOne(
      { _id: runId, ...REQUESTED },
      {
        $set: { permit, ready: true },
        $currentDate: { readyAt: true },
        $unset: { permitRequestedAt: 1 },
      },
    );
    return matchedCount > 0;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
