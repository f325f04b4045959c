import { setTimeout as sleep } from 'node:timers/promises';
import { RollupModel } from '../../../models/rollup.model.ts';
import { RunModel } from '../../../models/run.model.ts';
import { Poster } from '../../../services/runs/statistics/rollup-scheduler.ts';
import { Posting } from '../../../services/runs/statistics/rollup-writer.ts';
import { Standby } from '../../../services/runs/statistics/standby.ts';
import { waitFor } from '../../helpers/wait.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();
const failed = jest.fn();
const posters: Poster[] = [];
afterEach(async () => {
  await Promise.all(posters.splice(0).map((poster) => poster.stop()));
  jest.restoreAllMocks();
  expect(failed.mock.calls).toEqual([]);
});

function startPoster(): Poster {
  const poster = new Poster(failed);
  posters.push(poster);
  poster.start();
  return poster;
}
const marked = () => RunModel.countDocuments({ uncounted: true });
const posted = () => waitFor('the posting of all', async () => (await marked()) === 0, 10_000);
const created = async () => (await RollupModel.findById('created/1').lean())?.runs;

/** A poster that knows the tallies as they were before somebody else posted; a run is marked. */
async function posterBehind(): Promise<Poster> {
  const poster = startPoster();
  await queueRun();
  poster.note();
  await posted();
  await queueRun();
  await new Posting().postBatch(100);
  await queueRun();
  return poster;
}

test('a poster leaves marks to another that has changed the tallies, and takes over when nobody posts', async () => {
  const poster = await posterBehind();
  const writes = jest.spyOn(RollupModel.collection, 'bulkWrite');
  const look = Standby.prototype.look;
  const atLooks: unknown[] = [];
  jest.spyOn(Standby.prototype, 'look').mockImplementation(async function (this: Standby) {
    atLooks.push([writes.mock.calls.length, await marked()]);
    poster.note();
    return look.call(this);
  });
  poster.note();
  await posted();
  expect(atLooks).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect([writes.mock.calls.length, await created()]).toEqual([2, 3]);
});

test('a poster takes over when the one that it met has stopped', async () => {
  const poster = await posterBehind();
  const looks = jest.spyOn(Standby.prototype, 'look');
  const other = startPoster();
  await posted();
  await queueRun();
  poster.note();
  await waitFor('a look', () => looks.mock.calls.length > 0);
  await queueRun();
  await other.stop(); // posts both
  expect(await marked()).toBe(0);
  await queueRun();
  await posted();
  expect(await created()).toBe(6);
});

test('posters that change tallies under each other at once post everything, once', async () => {
  const others = [startPoster(), startPoster(), startPoster()];
  for (let n = 0; n < 5; n++) {
    for (let workspaceId = 1; workspaceId <= 4; workspaceId++) await queueRun({ workspaceId });
    await Promise.all(others.map((poster) => poster.note()));
    await sleep(200);
  }
  await posted();
  const tallies = await RollupModel.find({ _id: /^created/ }, { runs: 1 }).lean();
  expect(tallies.map(({ runs }) => runs)).toEqual([5, 5, 5, 5]);
});

test('of two posters one posts: it reads no tallies again, and nobody else writes any', async () => {
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
  const both = [startPoster(), startPoster()];
  let runs = 0;
  const runStored = async (noted: readonly Poster[]) => {
    await queueRun();
    runs++;
    for (const poster of noted) poster.note();
  };
  await runStored(both.slice(1));
  await sleep(250); // so that each finds runs that came after the other's round
  const isSettled = () => log.length >= 8 && log.slice(-8).every((one) => one === 'bulkWrite');
  await waitFor('eight rounds of one', () => runStored(both).then(isSettled), 20_000);
  await posted();
  expect(await created()).toBe(runs);
});

test('a look sees that another posts when each mark it saw is taken, also from runs with a new one', async () => {
  const standby = new Standby();
  const { _id } = await queueRun();
  expect(await standby.look()).toBe(false);
  await RunModel.updateOne({ _id }, { $unset: { uncounted: 1 }, $set: { unposted: true } });
  await queueRun();
  expect(await standby.look()).toBe(false);
  expect(await standby.look()).toBe(true);
});

test('a look reads a few runs of each mark, those that are posted first, and no more than their ids', async () => {
  for (let n = 0; n < 30; n++) await queueRun({ workspaceId: 2 });
  const standby = new Standby();
  const reads = jest.spyOn(RunModel.collection, 'find');
  await standby.look();
  expect(reads.mock.calls.map(([filter, options]) => [filter, options?.projection])).toEqual([
    [{ uncounted: true }, { _id: 1 }],
    [{ unposted: true }, { _id: 1 }],
  ]);
  for (const { value } of reads.mock.results) {
    const { queryPlanner } = await value.clone().explain('queryPlanner');
    expect(JSON.stringify(queryPlanner.winningPlan)).toMatch(/"keyPattern":\{"un(count|post)ed":1/);
  }
  await new Posting().postBatch(10);
  expect(await standby.look()).toBe(false);
});
