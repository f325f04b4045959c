import { RunModel } from '../../../../models/run.model.ts';
import { WorkerModel } from '../../../../models/worker.model.ts';

/** Takes one run or all runs from a worker; the fences refuse its later writes. Returns the number of runs. */
export async function takeOverRuns(worker: string, runId?: number): Promise<number> {
  const { modifiedCount } = await RunModel.updateMany(
    runId === undefined ? { worker } : { _id: runId, worker },
    {
      $set: { ready: true },
      $currentDate: { readyAt: true },
      $unset: { worker: 1 },
      $inc: { fence: 1 },
    },
  );
  return modifiedCount;
}

/** Takes all runs from a worker that has died, and counts the death for each of them. Returns their number. */
export async function takeOverRunsOfDead(worker: string): Promise<number> {
  const isSameEntry = { $eq: ['$losses.entries', '$entries'] };
  const times = { $cond: [isSameEntry, { $add: ['$losses.times', 1] }, 1] };
  const { modifiedCount } = await RunModel.updateMany(
    { worker },
    [
      {
        $set: {
          ready: true,
          readyAt: '$$NOW',
          fence: { $add: ['$fence', 1] },
          losses: { entries: '$entries', times },
        },
      },
      { $unset: ['worker'] },
    ],
    { updatePipeline: true },
  );
  return modifiedCount;
}

/**
 * Takes over the runs of workers that are not in the list. A worker enters the list before it claims and leaves
 * the list last, so that no worker executes such a run. Returns the number of runs.
 */
export async function takeOverOrphanedRuns(): Promise<number> {
  const holders = await findHolders();
  if (!holders.length) return 0;
  // The list is read after the holders: a worker that had claimed by then has entered the list.
  const listed = await WorkerModel.find({ _id: { $in: holders } }, { _id: 1 }).lean();
  const known = new Set(listed.map(({ _id }) => _id));
  let taken = 0;
  for (const holder of holders) if (!known.has(holder)) taken += await takeOverRuns(holder);
  return taken;
}

/** Finds the name of each worker that holds runs. Each step reads one entry of the index on `worker`. */
async function findHolders(): Promise<string[]> {
  const holders: string[] = [];
  for (let last = ''; ; ) {
    const next = await RunModel.findOne({ worker: { $gt: last } }, { worker: 1 })
      .sort({ worker: 1 })
      .lean();
    if (!next?.worker) return holders;
    last = next.worker;
    holders.push(last);
  }
}
