import { isDuplicateKey } from '../../../../mixins/database/database.ts';
import { RunModel } from '../../../../models/run.model.ts';
import { type Grant, planGrants, type WaitingForPermit } from './plan-grants.ts';

/** The most runs that one look considers; the next look considers further runs. */
const MAX_GRANTS = 64;

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
    const [first] = await findWaiting(flowId, 1);
    if (!first || (await isFull(flowId, first))) return granted;
    const waiting = await findWaiting(flowId, MAX_GRANTS);
    const grants = planGrants(waiting, await findPermits(flowId));
    if (!grants.length) return granted;
    const given = await Promise.all(grants.map(grantPermit));
    granted += given.filter((outcome) => outcome === 'granted').length;
  }
}

/** Finds the runs that wait longest for a permit of the flow. */
export const findWaiting = (flowId: number, limit: number): Promise<WaitingForPermit[]> =>
  RunModel.find({ flowId, ...REQUESTED }, { concurrency: 1 })
    .sort({ permitRequestedAt: 1, _id: 1 })
    .limit(limit)
    .read('primary')
    .lean<WaitingForPermit[]>();

/** Whether the flow's permits leave no room for the run. They are counted in their index alone. */
async function isFull(flowId: number, { concurrency = 1 }: WaitingForPermit): Promise<boolean> {
  const used = await RunModel.countDocuments({ flowId, permit: { $gte: 0 } }).read('primary');
  return used >= concurrency;
}

/** Reads the permits of a flow that are in use. */
async function findPermits(flowId: number): Promise<number[]> {
  const holders = await RunModel.find({ flowId, permit: { $gte: 0 } }, { _id: 0, permit: 1 })
    .read('primary')
    .lean();
  return holders.flatMap(({ permit }) => permit ?? []);
}

/** `gone`: the run waits no longer. `taken`: another run has the permit. */
export async function grantPermit({ runId, permit }: Grant): Promise<'granted' | 'gone' | 'taken'> {
  try {
    const { matchedCount } = await RunModel.updateOne(
      { _id: runId, ...REQUESTED },
      {
        $set: { permit, ready: true },
        $currentDate: { readyAt: true },
        $unset: { permitRequestedAt: 1 },
      },
    );
    return matchedCount > 0 ? 'granted' : 'gone';
  } catch (error) {
    if (isDuplicateKey(error)) return 'taken';
    throw error;
  }
}
