import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { RUN_EVENTS, type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { isDatabaseAway, isServerSelectionError } from '../../../../support/database-outage.ts';
import { isLateClaim } from '../lease/idle-runs.ts';
import { CLAIM_ORDER, type ReadyRun, type RunKind } from './ready-runs.ts';

/** The conditions by which claims find runs of a kind in the index on `ready`. */
const OF_KIND = {
  new: { readyAt: { $exists: false } },
  resumed: { readyAt: { $gt: new Date(0) } },
} as const;

/** The filter of the claim of a run of a kind in an owner's workspace. */
export const claimFilterOf = (
  { shareOwner, workspaceId }: Pick<ReadyRun, 'shareOwner' | 'workspaceId'>,
  kind: RunKind,
) => ({ ready: true, shareOwner, workspaceId, ...OF_KIND[kind] }) as const;

/** Claims the oldest ready run of a kind in an owner's workspace. Returns null when the workspace has none. */
export async function claimOldestRun(
  of: Pick<ReadyRun, 'shareOwner' | 'workspaceId'>,
  kind: RunKind,
  worker: string,
): Promise<RunDocument | null> {
  return RunModel.findOneAndUpdate(claimFilterOf(of, kind), claimUpdateOf(worker), {
    sort: CLAIM_ORDER,
    returnDocument: 'after',
    updatePipeline: true,
  }).lean<RunDocument>();
}

/**
 * Claims the listed runs that are still ready, in two commands. Returns every listed run that this worker then
 * holds, in the order of the ids.
 *
 * When a command fails, the worker's sweep finds claimed runs that nobody executes. A late claim is not tried
 * again, since its runs would wait for the sweep.
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
 * Claims runs. The driver does not repeat an update of many documents after a cut connection; `claimRuns`
 * repeats it, and the second update does not match the runs that the first update claimed.
 */
async function claimReadyRuns(ids: readonly number[], worker: string): Promise<void> {
  const ready = { _id: { $in: ids }, ready: true } as const;
  await RunModel.updateMany(ready, claimUpdateOf(worker), { updatePipeline: true });
}

/** Makes the document of a new run with its first claim. */
export function toClaimedRun({ ready: _, ...run }: RunDocument, worker: string): RunDocument {
  const startedAt = new Date(Math.max(databaseClock.now(), run.createdAt.getTime()));
  const deadlineAt = new Date(startedAt.getTime() + run.timeoutMs);
  const events = run.isChild ? {} : { eventsPending: RUN_EVENTS.started };
  return { ...run, status: 'RUNNING', worker, fence: 1, startedAt, deadlineAt, ...events };
}

/** Whether a claim is not the start of a run that has events: the run has started before, or is a child run. */
const HAS_NO_EVENT = {
  $or: [{ $ifNull: ['$startedAt', false] }, { $ifNull: ['$isChild', false] }],
};

/** Makes the update that claims a ready run for the worker. A first claim starts the run by the database's clock. */
function claimUpdateOf(worker: string) {
  return [
    {
      $set: {
        status: 'RUNNING',
        worker,
        fence: { $add: ['$fence', 1] },
        eventsPending: {
          $cond: [HAS_NO_EVENT, { $ifNull: ['$eventsPending', '$$REMOVE'] }, RUN_EVENTS.started],
        },
        startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
        deadlineAt: { $ifNull: ['$deadlineAt', { $add: ['$$NOW', '$timeoutMs'] }] },
      },
    },
    { $unset: ['ready', 'readyAt', 'wakeAt', 'suspended'] },
  ];
}
