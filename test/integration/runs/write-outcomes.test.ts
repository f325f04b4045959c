import { mongo } from 'mongoose';
import { RunModel } from '../../../models/run.model.ts';
import { type LeasedRun, LeaseLostError } from '../../../services/runs/engine/lease/leased-run.ts';
import { insertRun, updateRun } from '../../../services/runs/engine/writes/run-writes.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { batchOf, claimedRun, newRuns, onRunsDatabase, runOf } from './engine.ts';
import { bulkError, FailingWrites, REFUSED } from './failing-writes.ts';

jest.mock('node:timers/promises', () => {
  const timers = jest.requireActual('node:timers/promises');
  return { ...timers, setTimeout: (_: number, value: unknown) => timers.setImmediate(value) };
});

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

test.each(['pushes', 'ends', 'cancels'] as const)(
  'a write after an outage is not taken for done because somebody else %s',
  async (by) => {
    for (const write of ['push', 'end'] as const) {
      const run = await claimedRun();
      new FailingWrites([{ kind: 'lost command' }, { kind: 'overtaken', odd: false, by }]);
      const writing =
        write === 'push'
          ? run.appendEntries(batchOf('a'))
          : run.end({ status: 'SUCCESS' }, batchOf('a'));
      await expect(writing).rejects.toBeInstanceOf(LeaseLostError);
      jest.restoreAllMocks();
    }
  },
);

test('starts that a command did not reach are stored alone', async () => {
  const runs = newRuns(3);
  new FailingWrites([{ kind: 'some not reached' }]);
  const outcomes = await Promise.allSettled(runs.map(insertRun));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(await RunModel.distinct('_id')).toEqual(runs.slice(1).map(({ _id }) => _id));
});

test('where a write concern is not met as well, an update that failed alone vouches for no other', async () => {
  const runs = await Promise.all([claimedRun(), claimedRun(), claimedRun()]);
  const bulkWrite = RunModel.collection.bulkWrite.bind(RunModel.collection);
  const write = jest.spyOn(RunModel.collection, 'bulkWrite').mockImplementationOnce((async (
    all: object[],
    options: object,
  ) => {
    await bulkWrite(all.slice(1) as never, options);
    const writeErrors = [{ index: 0, code: REFUSED, errmsg: 'no' }];
    const getWriteConcernError = () => ({ code: 64 });
    throw bulkError(
      { message: 'no', code: REFUSED, writeErrors },
      { matchedCount: 2, insertedCount: 0, getWriteConcernError },
    );
  }) as never);
  await Promise.all(runs.map((run) => run.appendEntries(batchOf('a'))));
  expect(write).toHaveBeenCalledTimes(4); // each was sent alone: its answer says how safe it is
  expect(await RunModel.countDocuments({ entries: 1 })).toBe(3);
});

test('an update that its command passes by is sent once more alone, and then as after an outage', async () => {
  const run = await claimedRun();
  const missed = { matchedCount: 0, insertedCount: 0 };
  const write = jest
    .spyOn(RunModel.collection, 'bulkWrite')
    .mockRejectedValueOnce(bulkError(new mongo.MongoNetworkError('gone')));
  for (let tries = 0; tries < 2; tries++) write.mockResolvedValueOnce(missed as never);
  const mine = { _id: run.doc._id, worker: 'me', fence: 1 };
  const update = {
    filter: mine,
    update: { $set: { weight: 7 } },
    result: { ...mine, entries: 9 },
    isRetry: true,
    bytes: 1,
  };
  await expect(updateRun(update)).rejects.toThrow('gone');
  const error = await updateRun(update).catch((reason: unknown) => reason);
  expect([isDatabaseAway(error), write.mock.calls.length]).toEqual([true, 3]);
  await expect(run.appendEntries(batchOf('a'))).resolves.toBeUndefined();
});

test('a cancel whose answer is lost is told of', async () => {
  const run = await claimedRun();
  const { _id } = run.doc;
  await RunModel.updateOne({ _id }, { cancelRequestedAt: new Date() });
  new FailingWrites([{ kind: 'lost answer' }]);
  await run.endCancelled(batchOf('a'));
  expect(run.ended?.status).toBe('CANCELLED');
  expect(await runOf(_id)).toMatchObject({ status: 'CANCELLED', entries: 1 });
});

test('cancels that a command did not reach are sent alone', async () => {
  const runs = await Promise.all(Array.from({ length: 3 }, claimedRun));
  await RunModel.updateMany({}, { cancelRequestedAt: new Date() });
  new FailingWrites([{ kind: 'some not reached' }]);
  await Promise.all(runs.map((run) => run.endCancelled(batchOf('a'))));
  expect(await RunModel.countDocuments({ status: 'CANCELLED', entries: 1 })).toBe(3);
});

test('a run that is not to be cancelled is not, after an outage either', async () => {
  const run = await claimedRun();
  new FailingWrites([{ kind: 'lost command' }]);
  await expect(run.endCancelled()).rejects.toBeInstanceOf(LeaseLostError);
  expect([run.ended, (await runOf(run.doc._id)).status]).toEqual([null, 'RUNNING']);
});

test('ends go alone by the bytes that they take in the database, of an output or of an error', async () => {
  const bytes = 65 * 1024;
  const runs = await Promise.all(Array.from({ length: 4 }, claimedRun));
  const write = jest.spyOn(RunModel.collection, 'bulkWrite');
  const [small, output, error, other] = runs as [LeasedRun, LeasedRun, LeasedRun, LeasedRun];
  const message = { type: 'x', title: 'x', status: 500, instance: '', detail: 'e'.repeat(bytes) };
  await Promise.all([
    small.end({ status: 'SUCCESS' }, batchOf('a')),
    output.end({ status: 'SUCCESS', output: `"${'é'.repeat(bytes / 2)}"` }, batchOf('a')),
    error.end({ status: 'FAILED', error: message as never }, batchOf('a')),
    other.end({ status: 'SUCCESS' }, batchOf('a')),
  ]);
  expect(write.mock.calls.map(([operations]) => operations.length)).toEqual([1, 1, 2]);
});
