import { type RollupDocument, RollupModel } from '../../../models/rollup.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import type { FlowStatistics } from '../contract/statistics.ts';
import { daysBetween, startOfDay } from './days.ts';
import { amountsOf, endedTally } from './rollups.ts';

export interface StatisticsQuery {
  workspaceIds: readonly number[];
  flowId?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

type Counted = Pick<RollupDocument, 'runs' | 'success' | 'failed' | 'durationMs'> & {
  flowId: number;
  day: string;
  flowName: string;
};

/** What the runs of some workspaces come to. `nameOf` gives a flow's name now; null when it is gone. */
export async function statisticsOf(
  query: StatisticsQuery,
  nameOf: (flowId: number) => Promise<string | null>,
): Promise<FlowStatistics> {
  const days = daysBetween(query);
  const [counted, currentlyRunningJobs] = await Promise.all([
    countedRuns(query, days),
    runningNow(query),
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

/** The tallies of those days, and the few ended runs that are not in them yet. */
async function countedRuns(query: StatisticsQuery, days: readonly string[]): Promise<Counted[]> {
  const [from, to] = [days[0] ?? '', days.at(-1) ?? ''];
  const wanted = {
    workspaceId: { $in: [...query.workspaceIds] },
    ...(query.flowId === undefined ? {} : { flowId: query.flowId }),
  };
  // Marked runs first: one that is added in between is in `applied` by then.
  const unposted = (
    await RunModel.find({ unposted: true, ...wanted }, ENDED_FIELDS).lean<RunDocument[]>()
  )
    .map((run) => ({ run, tally: endedTally(run) }))
    .filter(({ tally: { day = '' } }) => day >= from && day <= to);
  // `applied` is read only where it matters, and together with the numbers that it belongs to.
  const touched = [...new Set(unposted.map(({ tally }) => tally._id))];
  const [others, beingWritten] = await Promise.all([
    RollupModel.find(
      { ...wanted, day: { $gte: from, $lte: to }, _id: { $nin: touched } },
      { applied: 0 },
    ).lean<(RollupDocument & Counted)[]>(),
    RollupModel.find({ _id: { $in: touched } }).lean<(RollupDocument & Counted)[]>(),
  ]);
  const applied = new Map(beingWritten.map((tally) => [tally._id, new Set(tally.applied)]));
  const pending = unposted
    .filter(({ run, tally }) => !applied.get(tally._id)?.has(run._id))
    .map(({ run, tally: { day = '' } }) => {
      const { flowId, flowName } = run;
      return { ...amountsOf([run]), flowId, flowName, day };
    });
  return [...others, ...beingWritten, ...pending];
}

const ENDED_FIELDS = {
  workspaceId: 1,
  flowId: 1,
  flowName: 1,
  status: 1,
  startedAt: 1,
  completedAt: 1,
} as const;

function sum(counted: readonly Counted[]) {
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
  counted: readonly Counted[],
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

function runsByDay(counted: readonly Counted[], days: readonly string[]) {
  const runs = new Map(days.map((day) => [day, 0]));
  for (const one of counted) runs.set(one.day, (runs.get(one.day) ?? 0) + one.runs);
  return [...runs].map(([day, runCount]) => ({ date: startOfDay(day), runCount }));
}

function runningNow({ workspaceIds, flowId }: StatisticsQuery): Promise<number> {
  return RunModel.countDocuments({
    live: true,
    workspaceId: { $in: [...workspaceIds] },
    status: { $in: ['RUNNING', 'WAITING'] },
    ...(flowId === undefined ? {} : { flowId }),
  });
}
