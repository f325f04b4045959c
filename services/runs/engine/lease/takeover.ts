import { RunModel } from '../../../../models/run.model.ts';
import { WorkerModel } from '../../../../models/worker.model.ts';

/** Takes all runs from a worker, or one: what it still wants to write is refused. Returns how many. */
export async function takeOverRuns(worker: string, runId?: number): Promise<number> {
  const { modifiedCount } = await RunModel.updateMany(
    runId === undefined ? { worker } : { _id: runId, worker },
    { $set: { ready: true, readyAt: new Date() }, $unset: { worker: 1 }, $inc: { fence: 1 } },
  );
  return modifiedCount;
}

/**
 * Takes over the runs held by names that are not in the list of workers. A worker enters the list
 * before it claims and leaves it last, so that such a run is nobody's.
 */
export async function takeOverOrphanedRuns(): Promise<number> {
  const holders = await findHolders();
  if (!holders.length) return 0;
  // Read after the holders: whoever claimed before is listed by now.
  const listed = await WorkerModel.find({ _id: { $in: holders } }, { _id: 1 }).lean();
  const known = new Set(listed.map(({ _id }) => _id));
  let taken = 0;
  for (const holder of holders) if (!known.has(holder)) taken += await takeOverRuns(holder);
  return taken;
}

/** Each name once, by steps through the index. */
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
