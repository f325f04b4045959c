import { RunModel } from '../../../models/run.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { Journal } from '../../../services/runs/engine/execution/journal/journal.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { LeaseLostError, NO_ENTRIES } from '../../../services/runs/engine/lease/leased-run.ts';
import { ownIdentity } from '../../../services/runs/engine/lease/process-identity.ts';
import {
  takeOverOrphanedRuns,
  takeOverRuns,
} from '../../../services/runs/engine/lease/takeover.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  batchOf,
  CLAIMED,
  callsTo,
  endOf,
  newRun,
  onRunsDatabase,
  queueRun,
  runOf,
  storeClaimed,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

/** Nothing can be proved of its process. */
const elsewhere = { host: null, pid: 1, pidStart: null };
/** A run as a worker of that name has claimed it. */
const claimed = (worker: string) => storeClaimed(newRun({ ...CLAIMED, worker }));

describe('a worker that was overtaken', () => {
  test('is refused every write: journal, wait, end, release', async () => {
    const run = await claimed('late');
    const journal = new Journal(run);
    journal.appendEffect('/do/0/a//1/1', { kind: 'succeeded', json: '1', completedAt: 5 });
    await journal.flushEffects();
    expect(await takeOverRuns('late')).toBe(1);
    const before = await runOf(run.doc._id);

    const again = { kind: 'succeeded', json: '2', completedAt: 6 } as const;
    journal.appendEffect('/do/1/b//1/1', again);
    await expect(journal.flushEffects()).rejects.toBeInstanceOf(LeaseLostError);
    expect(() => journal.appendEffect('/do/2/c//1/1', again)).toThrow(LeaseLostError);
    await expect(run.suspend(new Date(), NO_ENTRIES)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(run.end({ status: 'SUCCESS' }, NO_ENTRIES)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(run.release()).rejects.toBeInstanceOf(LeaseLostError);
    expect(await runOf(run.doc._id)).toEqual(before);
    expect(before).toMatchObject({ ready: true, fence: 2, entries: 1 });
  });

  test('is refused although it has claimed the same run once more', async () => {
    const run = await claimed('twice');
    await takeOverRuns('twice');
    await RunModel.updateOne({ _id: run.doc._id }, { worker: 'twice', $inc: { fence: 1 } });
    await expect(run.end({ status: 'SUCCESS' }, NO_ENTRIES)).rejects.toBeInstanceOf(LeaseLostError);
  });

  test('cannot repeat a write that reached the database after all', async () => {
    const run = await claimed('once');
    await run.appendEntries(batchOf('a'));
    await expect(run.appendEntries(batchOf('a'))).rejects.toBeInstanceOf(LeaseLostError);
    expect((await runOf(run.doc._id)).journal).toHaveLength(1);
  });
});

test('two workers on one database run each run once', async () => {
  const sent: string[] = [];
  const send = async ({ ownHeaders }: { ownHeaders?: Readonly<Record<string, string>> }) => {
    sent.push(String(ownHeaders?.['idempotency-key']));
  };
  const ids = await Promise.all(Array.from({ length: 40 }, async () => (await queueRun())._id));
  const plan = callsTo('/a', '/b');
  await Promise.all([started(workerOf({ plan, send })), started(workerOf({ plan, send }))]);
  await waitFor('all ends', async () => !(await RunModel.exists({ live: true })));
  expect(sent.length).toBe(80);
  expect(new Set(sent).size).toBe(80);
  for (const id of ids) expect((await runOf(id)).status).toBe('SUCCESS');
});

test('runs of a worker whose counter stands still go on elsewhere after 5 s', async () => {
  const dead = new Heartbeat(1, elsewhere);
  await dead.register();
  const run = await claimed(dead.id);
  const since = performance.now();
  await started(workerOf({ plan: callsTo('/a') }));
  await endOf(run.doc, 'SUCCESS');
  expect(performance.now() - since).toBeGreaterThan(4_900);
  expect(await WorkerModel.exists({ _id: dead.id })).toBeNull();
  expect(await dead.beat()).toBe(false); // it learns that it is nobody
});

test('runs of a process that is proven gone go on before those of one that only stands still', async () => {
  const gone = new Heartbeat(1, { ...ownIdentity(), pid: 4_000_000, pidStart: '1' });
  const still = new Heartbeat(1, elsewhere);
  await Promise.all([gone.register(), still.register()]);
  const [run, waiting] = [await claimed(gone.id), await claimed(still.id)];
  await started(workerOf({ plan: callsTo('/a') }));
  await endOf(run.doc, 'SUCCESS');
  expect((await runOf(waiting.doc._id)).worker).toBe(still.id);
});

test('a live worker that is only slow is left alone', async () => {
  let now = 0;
  const watcher = new Heartbeat(1, elsewhere, () => now);
  const slow = new Heartbeat(1, elsewhere);
  await Promise.all([watcher.register(), slow.register()]);
  const run = await claimed(slow.id);
  for (let round = 0; round < 10; round++) {
    now += 1_900;
    if (round % 2) await slow.beat();
    expect(await watcher.watch()).toBe(0);
  }
  expect((await runOf(run.doc._id)).worker).toBe(slow.id);
});

test('a watcher that slept itself does not count its own sleep', async () => {
  let now = 0;
  const watcher = new Heartbeat(1, elsewhere, () => now);
  const other = new Heartbeat(1, elsewhere);
  await Promise.all([watcher.register(), other.register()]);
  await watcher.watch();
  now += 60_000; // both were stopped, say
  expect(await watcher.watch()).toBe(0);
  expect(await WorkerModel.exists({ _id: other.id, dead: true })).toBeNull();
});

test('what is held under a name that is in no list is taken over', async () => {
  const known = new Heartbeat(1, elsewhere);
  await known.register();
  const [mine, lost] = [await claimed(known.id), await claimed('nobody')];
  expect(await takeOverOrphanedRuns()).toBe(1);
  expect((await runOf(mine.doc._id)).worker).toBe(known.id);
  expect(await runOf(lost.doc._id)).toMatchObject({ ready: true, fence: 2 });
});
