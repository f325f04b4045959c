import { RunModel } from '../../../models/run.model.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { isPoisoned } from '../../../services/runs/engine/lease/poisoned-run.ts';
import { ownIdentity } from '../../../services/runs/engine/lease/process-identity.ts';
import { takeOverRuns, takeOverRunsOfDead } from '../../../services/runs/engine/lease/takeover.ts';
import { onRunsDatabase, queueRun, runOf } from './engine.ts';

onRunsDatabase();

const claimed = async (fields = {}) =>
  (await queueRun({ status: 'RUNNING', worker: 'one', fence: 1, ...fields }))._id;
const claimAgain = (_id: number, fields = {}) =>
  RunModel.updateOne(
    { _id },
    { $set: { worker: 'one', ...fields }, $inc: { fence: 1 }, $unset: { ready: 1, readyAt: 1 } },
  );

test('deaths at the same entry are counted, and a grown journal begins anew', async () => {
  const _id = await claimed();
  const counts = [];
  for (const entries of [0, 0, 3, 3, 3, 3, 3]) {
    await claimAgain(_id, { entries });
    expect(await takeOverRunsOfDead('one')).toBe(1);
    const run = await runOf(_id);
    expect(run).toMatchObject({ ready: true, readyAt: expect.any(Date) });
    expect(run.worker).toBeUndefined();
    counts.push([run.losses?.times, isPoisoned(run)]);
  }
  const deaths = [1, 2, 1, 2, 3, 4, 5].map((times) => [times, times === 5]);
  expect(counts).toEqual(deaths);
});

test('a takeover without a death counts nothing', async () => {
  const _id = await claimed({ losses: { entries: 0, times: 4 } });
  await takeOverRuns('one');
  expect((await runOf(_id)).losses).toEqual({ entries: 0, times: 4 });
});

test.each([
  ['has ended', { ...ownIdentity(), pid: 4_000_000, pidStart: '1' }, 1],
  ['is silent on another machine', { host: 'elsewhere', pid: 1, pidStart: '1' }, 1],
  ['is silent and lives', ownIdentity(), undefined],
])('the loss of a worker that %s', async (_, identity, times) => {
  let now = 0;
  const lost = new Heartbeat(1, identity);
  const watcher = new Heartbeat(1, ownIdentity(), () => now);
  await lost.register();
  const _id = await claimed({ worker: lost.id });
  await RunModel.updateOne({ _id }, { $unset: { ready: 1 } });
  await watcher.register();
  for (; now < 8_000; now += 1_000) await watcher.watch();
  const run = await runOf(_id);
  expect([run.worker, run.losses?.times]).toEqual([undefined, times]);
  await watcher.deregister();
});
