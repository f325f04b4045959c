import { type RollupDocument, RollupModel } from '../../../models/rollup.model.ts';
import {
  isCountedRun,
  ROLLUP_PENDING,
  type RunDocument,
  RunModel,
} from '../../../models/run.model.ts';
import type { Params } from '../../contracts.ts';
import type { FlowStatistics } from '../contract/statistics.ts';
import { daysBetween, startOfDay } from './days.ts';
import { amountsOf, endedRollup } from './rollups.ts';
import { RunningCounts } from './running-counts.ts';

export type StatisticsQuery = Omit<Params<'runs.statistics'>, 'workspaceId'> & {
  workspaceIds: readonly number[];
};

type Count = Pick<RollupDocument, 'runs' | 'success' | 'failed' | 'durationMs'> & {
  flowId: number;
  day: string;
  flowName: string;
};

/**
 * Computes the statistics of some workspaces' runs. `nameOf` finds a flow's present name; null for a deleted flow.
 */
export async function statisticsOf(
  query: StatisticsQuery,
  nameOf: (flowId: number) => Promise<string | null>,
  running = new RunningCounts(),
): Promise<FlowStatistics> {
  const days = daysBetween(query);
  const [counted, currentlyRunningJobs] = await Promise.all([
    findCounts(query, days),
    running.count(query),
  ]);
  const total = sum(counted);
  return {
    totalRuns: total.runs,
    successfulRuns: total.success,
    failedRuns: total.failed,
    averageDuration: total.runs ? total.durationMs / total.runs / 1_000 : 0,
    mostFrequentFlow: await mostFrequentFlow(counted, nameOf),
    runsByDay: runsByDay(counted, days),
    currentlyRunningJobs,
  };
}

/** Reads the rollups of the days, and the few ended runs that are not in them yet. */
async function findCounts(query: StatisticsQuery, days: readonly string[]): Promise<Count[]> {
  const [from, to] = [days[0] ?? '', days.at(-1) ?? ''];
  const wanted = {
    workspaceId: { $in: [...query.workspaceIds] },
    ...(query.flowId === undefined ? {} : { flowId: query.flowId }),
  };
  // Pending runs are read before the rollups: a run that is added in between is in `applied` of its rollup.
  const ended = { [ROLLUP_PENDING.end]: true, ...wanted } as const;
  const pendingRuns = (await RunModel.find(ended, ENDED_FIELDS).lean<RunDocument[]>())
    .filter(isCountedRun)
    .map((run) => ({ run, rollup: endedRollup(run) }))
    .filter(({ rollup: { day = '' } }) => day >= from && day <= to);
  // `applied` is read only of rollups with pending runs, together with the counts that it belongs to.
  const touched = [...new Set(pendingRuns.map(({ rollup }) => rollup._id))];
  const [others, beingWritten] = await Promise.all([
    RollupModel.find(
      { ...wanted, day: { $gte: from, $lte: to }, _id: { $nin: touched } },
      { applied: 0 },
    ).lean<(RollupDocument & Count)[]>(),
    RollupModel.find({ _id: { $in: touched } }).lean<(RollupDocument & Count)[]>(),
  ]);
  const applied = new Map(beingWritten.map((rollup) => [rollup._id, new Set(rollup.applied)]));
  const pending = pendingRuns
    .filter(({ run, rollup }) => !applied.get(rollup._id)?.has(run._id))
    .map(({ run, rollup: { day = '' } }) => {
      const { flowId, flowName } = run;
      return { ...amountsOf([run]), flowId, flowName, day };
    });
  return [...others, ...beingWritten, ...pending];
}

const ENDED_FIELDS = {
  workspaceId: 1,
  isChild: 1,
  flowId: 1,
  flowName: 1,
  status: 1,
  startedAt: 1,
  completedAt: 1,
} as const;

function sum(counted: readonly Count[]) {
  const total = { runs: 0, success: 0, failed: 0, durationMs: 0 };
  for (const { runs, success, failed, durationMs } of counted) {
    total.runs += runs;
    total.success += success;
    total.failed += failed;
    total.durationMs += durationMs;
  }
  return total;
}

async function mostFrequentFlow(
  counted: readonly Count[],
  nameOf: (flowId: number) => Promise<string | null>,
): Promise<FlowStatistics['mostFrequentFlow']> {
  const runs = new Map<number, number>();
  for (const one of counted) runs.set(one.flowId, (runs.get(one.flowId) ?? 0) + one.runs);
  const [first] = [...runs].sort(([a, m], [b, n]) => n - m || a - b);
  if (!first) return null;
  const [flowId, runCount] = first;
  const lastName = counted.findLast((one) => one.flowId === flowId)?.flowName ?? '';
  return { flowId, flowName: (await nameOf(flowId)) ?? lastName, runCount };
}

function runsByDay(counted: readonly Count[], days: readonly string[]) {
  const runs = new Map(days.map((day) => [day, 0]));
  for (const one of counted) runs.set(one.day, (runs.get(one.day) ?? 0) + one.runs);
  return [...runs].map(([day, runCount]) => ({ date: startOfDay(day), runCount }));
}
