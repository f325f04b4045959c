import mongoose, { type Query } from 'mongoose';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { listStuckRuns } from '../../../services/runs/stuck/list-stuck-runs.ts';
import { newRun, onRunsDatabase, queueRun, storeRun } from './engine.ts';

const { MongoServerError } = mongoose.mongo;
/** The database's error for a command that has taken longer than its `maxTimeMS`. */
const TOO_SLOW = { code: 50, message: 'operation exceeded time limit' };

onRunsDatabase();
beforeEach(() => databaseClock.read());

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const MINUTE_AGO = secondsAgo(60);
const OWNER = 'person:7';

/** A run that has been ready for a minute. */
const queueOldRun = (fields: Partial<RunDocument> = {}) =>
  queueRun({ createdAt: MINUTE_AGO, workspaceId: 7, shareOwner: OWNER, ...fields });

/** Stores a run that is not ready, whatever its fields. */
async function store(fields: Partial<RunDocument>): Promise<RunDocument> {
  const { ready: _, ...run } = newRun({ createdAt: MINUTE_AGO, workspaceId: 7, ...fields });
  await storeRun(run);
  return run;
}

async function addWorker(id: string, capacity: number, beatAt = new Date()): Promise<void> {
  const row = { _id: id, beat: 1, beatAt, capacity, host: null, pid: 1, pidStart: null };
  await WorkerModel.collection.insertOne(row as never);
}

/** Lets a worker hold runs of a workspace. */
async function hold(worker: string, runs: number, fields: Partial<RunDocument> = {}) {
  for (let n = 0; n < runs; n++) await store({ status: 'RUNNING', worker, fence: 1, ...fields });
}

const reasons = async () =>
  Object.fromEntries(
    (await listStuckRuns({ limit: 100 })).runs.map(({ id, reason }) => [id, reason]),
  );

describe('the reason of a ready run', () => {
  it('is that no worker is alive', async () => {
    await addWorker('dead', 4, secondsAgo(6));
    const { _id } = await queueOldRun();
    expect(await reasons()).toEqual({ [_id]: 'no worker is alive' });
  });

  it('is that all workers are full', async () => {
    await addWorker('a', 2);
    await addWorker('b', 2);
    for (const worker of ['a', 'b'])
      await hold(worker, 2, { shareOwner: 'person:1', workspaceId: 1 });
    const { _id } = await queueOldRun();
    expect(await reasons()).toEqual({
      [_id]: 'all workers are full: they hold 4 runs, and have 4 slots',
    });
  });

  it('is that its owner has used the share of an owner up', async () => {
    await addWorker('a', 4);
    await hold('a', 3, { shareOwner: OWNER });
    const { _id } = await queueOldRun({ workspaceId: 8 });
    const other = await queueOldRun({ shareOwner: 'person:8', workspaceId: 9 });
    expect(await reasons()).toEqual({
      [_id]: `its owner ${OWNER} has used its share up: 3 runs under way, of 4 slots`,
      [other._id]: expect.stringContaining('a worker has a free slot'),
    });
  });

  it('is that its workspace has used its part of that share up', async () => {
    await addWorker('a', 40);
    await hold('a', 27, { shareOwner: OWNER });
    const { _id } = await queueOldRun();
    const elsewhere = await queueOldRun({ workspaceId: 8 });
    expect(await reasons()).toEqual({
      [_id]: expect.stringContaining('its workspace has used its part'),
      [elsewhere._id]: expect.stringContaining('a worker has a free slot'),
    });
  });

  it('is that its workspace has as many runs under way as all processes may execute', async () => {
    await addWorker('a', 1_000);
    await hold('a', 100, { shareOwner: OWNER });
    const { _id } = await queueOldRun();
    expect(await reasons()).toEqual({
      [_id]: 'its workspace has 100 runs under way (WORKSPACE_RUN_CONCURRENCY=100)',
    });
  });

  it.each([
    [
      'readyAt',
      new Date(0),
      /readyAt is "1970-01-01T00:00:00.000Z", where claims ask for \{"\$gt"/,
    ],
    ['readyAt', 12, /readyAt is 12, where claims ask for/],
    ['shareOwner', 7, /shareOwner is 7, where claims ask for "7"$/],
  ])('is that it matches no claim: %s is %p', async (field, value, reason) => {
    await addWorker('a', 4);
    const { _id } = await queueOldRun();
    await RunModel.collection.updateOne({ _id: _id as never }, { $set: { [field]: value } });
    expect(await reasons()).toEqual({ [_id]: expect.stringMatching(reason) });
  });
});

describe('the reason of a run that is not ready', () => {
  it('names the runs that have the permits of its flow', async () => {
    await addWorker('a', 4);
    const limited = { flowId: 5, concurrency: 1 };
    await hold('a', 1, { ...limited, permit: 0 });
    const holder = await RunModel.findOne({ permit: 0 }).orFail();
    const { _id } = await store({ ...limited, permitRequestedAt: MINUTE_AGO });
    const free = await store({ flowId: 6, concurrency: 1, permitRequestedAt: MINUTE_AGO });
    expect(await reasons()).toEqual({
      [_id]: `its flow executes 1 at once (metadata.concurrency): runs ${holder._id}`,
      [free._id]: 'its flow has room, and no worker has offered it',
    });
  });

  it('names the dead worker that holds it', async () => {
    const beatAt = secondsAgo(30);
    await addWorker('silent-worker', 4, beatAt);
    const silent = await store({ status: 'RUNNING', worker: 'silent-worker' });
    const gone = await store({ status: 'RUNNING', worker: 'gone' });
    expect(await reasons()).toEqual({
      [silent._id]: `worker silent-w, which holds it, has been silent since ${beatAt.toISOString()}, and no worker is alive`,
      [gone._id]: 'worker gone, which holds it, is gone, and no worker is alive',
    });
    await addWorker('heir', 4);
    expect(await reasons()).toMatchObject({ [gone._id]: 'worker gone, which holds it, is gone' });
  });

  it('is that nothing wakes it', async () => {
    await addWorker('a', 4);
    const due = await store({ status: 'WAITING', wakeAt: secondsAgo(20) });
    const lost = await store({ status: 'WAITING' });
    expect(await reasons()).toEqual({
      [due._id]: 'it is due, and no worker has woken it',
      [lost._id]: 'it is neither ready nor held, and waits for nothing',
    });
  });
});

describe('the list of stuck runs', () => {
  it('has no run that has been ready for a moment, waits for a time, is executed, or has ended', async () => {
    await addWorker('a', 4);
    await queueRun({ createdAt: secondsAgo(5) });
    await queueOldRun({ readyAt: secondsAgo(5) });
    await store({ status: 'WAITING', wakeAt: secondsAgo(-60) });
    await store({ status: 'WAITING', wakeAt: secondsAgo(5) });
    await store({ permitRequestedAt: secondsAgo(5), concurrency: 1 });
    await store({ status: 'RUNNING', worker: 'a' });
    await queueOldRun({ status: 'SUCCESS', completedAt: MINUTE_AGO });
    expect(await listStuckRuns({ limit: 100 })).toEqual({ runs: [], isComplete: true });
  });

  it('has the longest wait first, up to a limit, of all workspaces or of one', async () => {
    const late = await queueOldRun({ readyAt: secondsAgo(20) });
    const later = await store({ status: 'WAITING', wakeAt: secondsAgo(30), workspaceId: 8 });
    const latest = await queueOldRun();
    const ids = async (params: Parameters<typeof listStuckRuns>[0]) =>
      (await listStuckRuns(params)).runs.map(({ id }) => id);
    expect(await ids({ limit: 3 })).toEqual([latest._id, later._id, late._id]);
    expect(await ids({ limit: 2 })).toEqual([latest._id, later._id]);
    expect(await ids({ limit: 3, workspaceId: 8 })).toEqual([later._id]);
  });

  it('says that it is incomplete where the live runs are too many to search', async () => {
    const { _id } = await queueOldRun();
    await store({ status: 'WAITING' });
    const find = RunModel.find.bind(RunModel) as (...args: unknown[]) => Query<unknown, unknown>;
    const search = jest.spyOn(RunModel, 'find').mockImplementation(((...args: unknown[]) => {
      const query = find(...args);
      const isOfLost = query.getFilter().live === true;
      if (isOfLost) jest.spyOn(query, 'exec').mockRejectedValue(new MongoServerError(TOO_SLOW));
      return query;
    }) as never);
    const { runs, isComplete } = await listStuckRuns({ limit: 100 });
    search.mockRestore();
    expect([runs.map(({ id }) => id), isComplete]).toEqual([[_id], false]);
  });
});
