import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { isDatabaseAway, isServerSelectionError } from '../../../../support/database-outage.ts';
import { isLateClaim } from '../lease/idle-runs.ts';
import { CLAIM_ORDER, type StoredOwner } from './ready-runs.ts';

/** Claims the oldest ready run of an owner's workspace; null when none is ready. */
export async function claimOldestRun(
  of: { shareOwner: StoredOwner; workspaceId: number },
  worker: string,
): Promise<RunDocument | null> {
  return RunModel.findOneAndUpdate({ ready: true, ...of }, claimUpdateOf(worker), {
    sort: CLAIM_ORDER,
    returnDocument: 'after',
    updatePipeline: true,
  }).lean<RunDocument>();
}

/**
 * Claims those of the runs that are still ready, in two commands. Returns them in the order of the ids,
 * and with them those that this worker has held since before. When a command fails, the worker's sweep
 * finds the runs that it holds without working on them. A claim that is late already is not tried again:
 * its runs would wait for the sweep.
 */
export async function claimRuns(
  ids: readonly number[],
  worker: string,
  now = () => performance.now(),
): Promise<RunDocument[]> {
  const sentAt = now();
  await claimReadyRuns(ids, worker).catch((error: unknown) => {
    const isLate = isLateClaim(sentAt, now());
    if (isLate || !isDatabaseAway(error) || isServerSelectionError(error)) throw error;
    return claimReadyRuns(ids, worker);
  });
  const runs = await RunModel.find({ _id: { $in: ids }, worker }).lean<RunDocument[]>();
  return runs.sort((a, b) => ids.indexOf(a._id) - ids.indexOf(b._id));
}

/**
 * The driver sends no update of many documents again when its connection is cut. A second one passes the
 * runs that the first one has claimed, and is acknowledged for both.
 */
async function claimReadyRuns(ids: readonly number[], worker: string): Promise<void> {
  const ready = { _id: { $in: ids }, ready: true } as const;
  await RunModel.updateMany(ready, claimUpdateOf(worker), { updatePipeline: true });
}

/** A new run as its first claim leaves it. */
export function toClaimedRun({ ready: _, ...run }: RunDocument, worker: string): RunDocument {
  const startedAt = new Date();
  const deadlineAt = new Date(startedAt.getTime() + run.timeoutMs);
  return { ...run, status: 'RUNNING', worker, fence: 1, startedAt, deadlineAt };
}

/** The update that gives a ready run to the worker. */
function claimUpdateOf(worker: string) {
  const now = new Date();
  return [
    {
      $set: {
        status: 'RUNNING',
        worker,
        fence: { $add: ['$fence', 1] },
        startedAt: { $ifNull: ['$startedAt', now] },
        deadlineAt: { $ifNull: ['$deadlineAt', { $add: [now, '$timeoutMs'] }] },
      },
    },
    { $unset: ['ready', 'readyAt', 'wakeAt'] },
  ];
}
