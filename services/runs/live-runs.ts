import { RunModel } from '../../models/run.model.ts';
import { WorkerModel } from '../../models/worker.model.ts';
import type { Backlog, LiveRun, WorkerState } from './contract/operations.ts';
import type { RunStatus } from './contract/resources.ts';
import type { ShownRun } from './show-run.ts';

const FIELDS = {
  workspaceId: 1,
  flowName: 1,
  status: 1,
  worker: 1,
  createdAt: 1,
  startedAt: 1,
  wakeAt: 1,
} as const;

/** Runs of all workspaces that have not ended, the oldest first. */
export async function liveRuns(limit: number): Promise<LiveRun[]> {
  const runs = await RunModel.find({ live: true }, FIELDS)
    .sort({ createdAt: 1, _id: 1 })
    .limit(limit)
    .lean<Pick<ShownRun, '_id' | keyof typeof FIELDS>[]>();
  return runs.map(({ _id, workspaceId, flowName, status, worker, ...times }) => ({
    id: _id,
    workspaceId,
    flowName,
    status,
    worker: worker ?? null,
    createdAt: times.createdAt.toISOString(),
    startedAt: times.startedAt?.toISOString() ?? null,
    wakeAt: times.wakeAt?.toISOString() ?? null,
  }));
}

/** What has not ended, out of indexes alone: a run's document may be large. */
export async function backlog(): Promise<Backlog> {
  const [byStatus, [waiting]] = await Promise.all([
    RunModel.aggregate<{ _id: RunStatus; runs: number }>([
      { $match: { live: true } },
      { $group: { _id: '$status', runs: { $sum: 1 } } },
    ]),
    RunModel.aggregate<{ since: Date }>([
      { $match: { ready: true } },
      { $group: { _id: null, since: { $min: { $ifNull: ['$readyAt', '$createdAt'] } } } },
    ]),
  ]);
  return {
    live: Object.fromEntries(byStatus.map(({ _id, runs }) => [_id, runs])),
    waitingSince: waiting?.since.toISOString() ?? null,
  };
}

/** The workers that nobody holds for dead, and how many runs each of them holds. */
export async function workersNow(): Promise<WorkerState[]> {
  const [workers, held] = await Promise.all([
    WorkerModel.find({ dead: { $exists: false } })
      .sort({ _id: 1 })
      .lean(),
    RunModel.aggregate<{ _id: string; runs: number }>([
      { $match: { worker: { $gt: '' } } },
      { $group: { _id: '$worker', runs: { $sum: 1 } } },
    ]),
  ]);
  const runsOf = new Map(held.map(({ _id, runs }) => [_id, runs]));
  return workers.map(({ _id, node, host, pid, beat, capacity }) => ({
    id: _id,
    node: node ?? `${host?.slice(0, 8) ?? ''}-${pid}`,
    beat,
    capacity,
    runs: runsOf.get(_id) ?? 0,
  }));
}
