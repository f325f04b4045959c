import type { QueryFilter, SortOrder } from 'mongoose';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import type { Params } from '../../contracts.ts';
import type { StuckRuns } from '../contract/operations.ts';
import { shareOfRun } from '../engine/admission/run-share.ts';
import { type FailedCondition, findFailedConditions } from '../engine/claims/failed-conditions.ts';
import { findStillReady } from '../engine/claims/unmatched-runs.ts';
import { LIVE_RUN_FIELDS, type ReadRun, showLiveRun } from '../live-runs.ts';
import { isSlowQuery, MAX_QUERY_MS } from '../search-runs.ts';
import { NO_WORKER, WorkerLoads } from './worker-loads.ts';

/**
 * Milliseconds that a run waits until it counts as stuck. The runs of a worker that has died are taken over within 6 s, and
 * a lost event is made up for within 5 s.
 */
const STUCK_AFTER_MS = 10_000;
/** The most ids of runs with a permit that a reason names. */
const MAX_NAMED = 5;

const FIELDS = {
  ...LIVE_RUN_FIELDS,
  shareOwner: 1,
  readyAt: 1,
  flowId: 1,
  concurrency: 1,
  permitRequestedAt: 1,
} as const;
type WaitingRun = ReadRun &
  Pick<RunDocument, 'shareOwner' | 'readyAt' | 'flowId' | 'concurrency' | 'permitRequestedAt'>;

/** A run that waits since a time, with the reason. */
interface Finding {
  run: WaitingRun;
  since: Date;
  reason: string;
}

/**
 * Lists live runs that have not gone on for `STUCK_AFTER_MS` although they should, or that wait for room, with the reason
 * of each; the longest wait comes first. Runs that wait for a time or a notification are not among them. The list is
 * incomplete where a query has taken longer than `MAX_QUERY_MS`.
 */
export async function listStuckRuns({
  workspaceId,
  limit,
}: Params<'runs.listStuck'>): Promise<StuckRuns> {
  const before = new Date(databaseClock.now() - STUCK_AFTER_MS);
  let isComplete = true;
  const read = (filter: QueryFilter<RunDocument>, sort: Record<string, SortOrder> = {}) =>
    RunModel.find({ ...filter, ...(workspaceId === undefined ? {} : { workspaceId }) }, FIELDS)
      .sort(sort)
      .limit(limit)
      .maxTimeMS(MAX_QUERY_MS)
      .read('primary')
      .lean<WaitingRun[]>()
      .catch((error: unknown) => {
        if (!isSlowQuery(error)) throw error;
        isComplete = false;
        return [];
      });
  const ready = await readReady(read, before);
  const waiting = await read(
    { flowId: { $gt: 0 }, permitRequestedAt: { $lt: before } },
    { permitRequestedAt: 1 },
  );
  const due = await read({ wakeAt: { ...A_TIME, $lt: before } }, { wakeAt: 1 });
  const lost = await read({ ...IN_NO_STATE, createdAt: { $lt: before } });
  const loads = await WorkerLoads.read();
  const held = await read({ worker: { $in: loads.deadHolders } });
  const findings = [
    ...(await explainReady(ready, loads)),
    ...(await explainWaiting(waiting, loads)),
    ...due.map((run) => explainDue(run, loads)),
    ...held.map((run) => explainHeld(run, loads)),
    ...lost.map(explainLost),
  ];
  const runs = findings
    .toSorted((a, b) => +a.since - +b.since || a.run._id - b.run._id)
    .slice(0, limit)
    .map(({ run, since, reason }) => ({
      ...showLiveRun(run),
      since: since.toISOString(),
      reason,
    }));
  return { runs, isComplete };
}

const A_TIME = { $gt: new Date(0) };
/** The condition of live runs that no claim, timer, worker or permit leads to. */
const IN_NO_STATE = {
  live: true,
  ready: { $ne: true },
  worker: { $not: { $gt: '' } },
  wakeAt: { $not: A_TIME },
  permitRequestedAt: { $not: A_TIME },
} as const;

type Read = (
  filter: QueryFilter<RunDocument>,
  sort?: Record<string, SortOrder>,
) => Promise<WaitingRun[]>;

/** Reads the runs that are ready since before a time: since their creation, and since `readyAt`. */
async function readReady(read: Read, before: Date): Promise<WaitingRun[]> {
  const order = { readyAt: 1, createdAt: 1 } as const;
  return [
    ...(await read({ ready: true, readyAt: { $not: A_TIME }, createdAt: { $lt: before } }, order)),
    ...(await read({ ready: true, readyAt: { ...A_TIME, $lt: before } }, order)),
  ];
}

async function explainReady(runs: readonly WaitingRun[], loads: WorkerLoads): Promise<Finding[]> {
  const failed = await findFailedConditions(runs.map(({ _id }) => _id));
  const ready = new Set(await findStillReady(runs));
  return runs
    .filter(({ _id }) => ready.has(_id))
    .map((run) => {
      const conditions = failed.get(run._id);
      const reason = conditions ? mismatchOf(conditions) : loads.refusalOf(shareOfRun(run));
      return { run, since: run.readyAt instanceof Date ? run.readyAt : run.createdAt, reason };
    });
}

/** A run that fails conditions together alone, as in a damaged index, has no list of them. */
const mismatchOf = (failed: readonly FailedCondition[]): string =>
  ['it matches no claim', ...failed.map(describeCondition)].join('; ');

function describeCondition({ field, value, condition }: FailedCondition): string {
  const stored = value === undefined ? 'missing' : JSON.stringify(value);
  return `${field} is ${stored}, where claims ask for ${JSON.stringify(condition)}`;
}

/** Explains runs that wait for a permit of their flow, by the runs that have the permits. */
async function explainWaiting(runs: readonly WaitingRun[], loads: WorkerLoads): Promise<Finding[]> {
  const flowIds = [...new Set(runs.flatMap(({ flowId }) => flowId ?? []))];
  const permits = { flowId: { $in: flowIds }, permit: { $gte: 0 } };
  const holders = await RunModel.find(permits, { flowId: 1 }).lean();
  const byFlow = Map.groupBy(holders, ({ flowId }) => flowId);
  return runs.map((run) => ({
    run,
    since: run.permitRequestedAt ?? run.createdAt,
    reason: permitReasonOf(run, byFlow.get(run.flowId) ?? [], loads),
  }));
}

function permitReasonOf(
  { concurrency = 1 }: WaitingRun,
  holders: readonly { _id: number }[],
  loads: WorkerLoads,
): string {
  if (holders.length >= concurrency) {
    const named = holders.slice(0, MAX_NAMED).map(({ _id }) => _id);
    const more = holders.length > MAX_NAMED ? ` and ${holders.length - MAX_NAMED} more` : '';
    return `its flow executes ${concurrency} at once (metadata.concurrency): runs ${named.join(', ')}${more}`;
  }
  return loads.hasLiveWorker ? 'its flow has room, and no worker has offered it' : NO_WORKER;
}

const explainDue = (run: WaitingRun, loads: WorkerLoads): Finding => ({
  run,
  since: run.wakeAt ?? run.createdAt,
  reason: loads.hasLiveWorker ? 'it is due, and no worker has woken it' : NO_WORKER,
});

function explainHeld(run: WaitingRun, loads: WorkerLoads): Finding {
  const { worker = '', createdAt } = run;
  const beatAt = loads.lastBeatOf(worker);
  const silence = beatAt ? `has been silent since ${beatAt.toISOString()}` : 'is gone';
  const heir = loads.hasLiveWorker ? '' : `, and ${NO_WORKER}`;
  const reason = `worker ${worker.slice(0, 8)}, which holds it, ${silence}${heir}`;
  return { run, since: beatAt ?? createdAt, reason };
}

const explainLost = (run: WaitingRun): Finding => ({
  run,
  since: run.createdAt,
  reason: 'it is neither ready nor held, and waits for nothing',
});
