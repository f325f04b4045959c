import { setTimeout as sleep } from 'node:timers/promises';
import { RollupModel } from '../../../models/rollup.model.ts';
import { RunModel } from '../../../models/run.model.ts';
import { RollupScheduler } from '../../../services/runs/statistics/rollup-scheduler.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { Standby } from '../../../services/runs/statistics/standby.ts';
import { waitFor } from '../../helpers/wait.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();
const failed = jest.fn();
const schedulers: RollupScheduler[] = [];
afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.stop()));
  jest.restoreAllMocks();
  expect(failed.mock.calls).toEqual([]);
});

function startScheduler(): RollupScheduler {
  const scheduler = new RollupScheduler(failed);
  schedulers.push(scheduler);
  scheduler.start();
  return scheduler;
}
const pendingRuns = () => RunModel.countDocuments({ uncounted: true });
const allAdded = () =>
  waitFor('the rollups of all runs', async () => (await pendingRuns()) === 0, 10_000);
const created = async () => (await RollupModel.findById('created/1').lean())?.runs;

/** A scheduler that knows the rollups as they were before another one wrote; a run is pending. */
async function schedulerBehind(): Promise<RollupScheduler> {
  const scheduler = startScheduler();
  await queueRun();
  scheduler.notify();
  await allAdded();
  await queueRun();
  await new RollupWriter().writeBatch(100);
  await queueRun();
  return scheduler;
}

test('a scheduler leaves runs to another one that has changed the rollups, and takes over when none is active', async () => {
  const scheduler = await schedulerBehind();
  const writes = jest.spyOn(RollupModel.collection, 'bulkWrite');
  const check = Standby.prototype.check;
  const atChecks: unknown[] = [];
  jest.spyOn(Standby.prototype, 'check').mockImplementation(async function (this: Standby) {
    atChecks.push([writes.mock.calls.length, await pendingRuns()]);
    scheduler.notify();
    return check.call(this);
  });
  scheduler.notify();
  await allAdded();
  expect(atChecks).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect([writes.mock.calls.length, await created()]).toEqual([2, 3]);
});

test('a scheduler takes over when the one that it met has stopped', async () => {
  const scheduler = await schedulerBehind();
  const checks = jest.spyOn(Standby.prototype, 'check');
  const other = startScheduler();
  await allAdded();
  await queueRun();
  scheduler.notify();
  await waitFor('a check', () => checks.mock.calls.length > 0);
  await queueRun();
  await other.stop(); // adds both
  expect(await pendingRuns()).toBe(0);
  await queueRun();
  await allAdded();
  expect(await created()).toBe(6);
});

test('schedulers that change the same rollups at once add every run, once', async () => {
  const others = [startScheduler(), startScheduler(), startScheduler()];
  for (let n = 0; n < 5; n++) {
    for (let workspaceId = 1; workspaceId <= 4; workspaceId++) await queueRun({ workspaceId });
    await Promise.all(others.map((scheduler) => scheduler.notify()));
    await sleep(200);
  }
  await allAdded();
  const rollups = await RollupModel.find({ _id: /^created/ }, { runs: 1 }).lean();
  expect(rollups.map(({ runs }) => runs)).toEqual([5, 5, 5, 5]);
});

test('of two schedulers one is active: it reads no rollups again, and the other writes none', async () => {
  const log: string[] = [];
  for (const method of ['find', 'bulkWrite'] as const) {
    const original = RollupModel.collection[method].bind(RollupModel.collection) as never as (
      ...args: unknown[]
    ) => unknown;
    jest.spyOn(RollupModel.collection, method).mockImplementation(((...args: unknown[]) => {
      log.push(method);
      return original(...args);
    }) as never);
  }
  const both = [startScheduler(), startScheduler()];
  let runs = 0;
  const runStored = async (notified: readonly RollupScheduler[]) => {
    await queueRun();
    runs++;
    for (const scheduler of notified) scheduler.notify();
  };
  await runStored(both.slice(1));
  await sleep(250); // so that each finds runs that came after the other's round
  const isSettled = () => log.length >= 8 && log.slice(-8).every((one) => one === 'bulkWrite');
  await waitFor('eight rounds of one', () => runStored(both).then(isSettled), 20_000);
  await allAdded();
  expect(await created()).toBe(runs);
});

test('a check sees that another scheduler is active when each flag that it saw is cleared, also in runs with a new flag', async () => {
  const standby = new Standby();
  const { _id } = await queueRun();
  expect(await standby.check()).toBe(false);
  await RunModel.updateOne({ _id }, { $unset: { uncounted: 1 }, $set: { unposted: true } });
  await queueRun();
  expect(await standby.check()).toBe(false);
  expect(await standby.check()).toBe(true);
});

test('a check reads a few runs of each flag, those that are added first, and no more than their ids', async () => {
  for (let n = 0; n < 30; n++) await queueRun({ workspaceId: 2 });
  const standby = new Standby();
  const reads = jest.spyOn(RunModel.collection, 'find');
  await standby.check();
  expect(reads.mock.calls.map(([filter, options]) => [filter, options?.projection])).toEqual([
    [{ uncounted: true }, { _id: 1 }],
    [{ unposted: true }, { _id: 1 }],
  ]);
  for (const { value } of reads.mock.results) {
    const { queryPlanner } = await value.clone().explain('queryPlanner');
    expect(JSON.stringify(queryPlanner.winningPlan)).toMatch(/"keyPattern":\{"un(count|post)ed":1/);
  }
  await new RollupWriter().writeBatch(10);
  expect(await standby.check()).toBe(false);
});
