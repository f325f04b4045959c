import { type ExecutionFields, RunModel } from '../../models/run.model.ts';
import { LIVE_STATUSES, type RunStatus } from '../../models/run-status.ts';
import { WorkerModel } from '../../models/worker.model.ts';
import type { Params } from '../contracts.ts';
import type { Backlog, LiveRun, WorkerState } from './contract/operations.ts';
import type { ShownRun } from './show-run.ts';

/** The fields of a run from which `showLiveRun` makes its row. */
export const LIVE_RUN_FIELDS = {
  workspaceId: 1,
  flowName: 1,
  'execution.workflowName': 1,
  status: 1,
  worker: 1,
  createdAt: 1,
  startedAt: 1,
  wakeAt: 1,
} as const;

export type ReadRun = Pick<
  ShownRun,
  '_id' | Exclude<keyof typeof LIVE_RUN_FIELDS, `execution.${string}`>
> & {
  execution?: Pick<ExecutionFields, 'workflowName'>;
};

/** Lists the runs of all workspaces, or of one, that have not ended, the oldest first. */
export async function listLiveRuns({
  workspaceId,
  limit,
}: Params<'runs.listLive'>): Promise<LiveRun[]> {
  const workspace = workspaceId === undefined ? {} : { workspaceId };
  const runs = await RunModel.find({ live: true, ...workspace }, LIVE_RUN_FIELDS)
    .sort({ createdAt: 1, _id: 1 })
    .limit(limit)
    .lean<ReadRun[]>();
  return runs.map(showLiveRun);
}

export const showLiveRun = ({ _id: id, workspaceId, status, ...run }: ReadRun): LiveRun => ({
  id,
  workspaceId,
  name: run.flowName ?? run.execution?.workflowName ?? '',
  status,
  worker: run.worker ?? null,
  createdAt: run.createdAt.toISOString(),
  startedAt: run.startedAt?.toISOString() ?? null,
  wakeAt: run.wakeAt?.toISOString() ?? null,
});

/** Counts the runs that have not ended, in an index alone. Finds the time since which the first ready run waits. */
export async function getBacklog(): Promise<Backlog> {
  const [counts, since] = await Promise.all([
    Promise.all(LIVE_STATUSES.map(countLive)),
    findLongestReadyTime(),
  ]);
  return {
    live: Object.fromEntries(counts.filter(([, runs]) => runs > 0)),
    waitingSince: since?.toISOString() ?? null,
  };
}

const countLive = async (status: RunStatus): Promise<[RunStatus, number]> => [
  status,
  await RunModel.countDocuments({ live: true, status }),
];

/** Finds the time since which a run has been ready longest; null when no run is ready. */
async function findLongestReadyTime(): Promise<Date | null> {
  const fields = { readyAt: 1, createdAt: 1 } as const;
  const order = { readyAt: 1, createdAt: 1 } as const;
  const [first, firstAgain] = await Promise.all([
    // Runs without `readyAt` come first: they are ready since their creation.
    RunModel.findOne({ ready: true }, fields).sort(order).lean(),
    RunModel.findOne({ ready: true, readyAt: { $gt: new Date(0) } }, fields)
      .sort(order)
      .lean(),
  ]);
  const times = [first, firstAgain].map((run) => run?.readyAt ?? run?.createdAt);
  return times.filter((time) => time !== undefined).toSorted((a, b) => +a - +b)[0] ?? null;
}

/** Lists the workers that are not marked as dead, with the number of runs that each holds. */
export async function listLiveWorkers(): Promise<WorkerState[]> {
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
