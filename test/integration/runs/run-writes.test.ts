import fc from 'fast-check';
import { mongo } from 'mongoose';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { type LeasedRun, LeaseLostError } from '../../../services/runs/engine/lease/leased-run.ts';
import { insertRun, updateRun } from '../../../services/runs/engine/writes/run-writes.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { batchOf, claimedRun, newRun, newRuns, onRunsDatabase, runOf } from './engine.ts';
import {
  AWAY,
  bulkError,
  FailingWrites,
  type Fault,
  OTHER_KEY,
  REFUSED,
} from './failing-writes.ts';

jest.mock('node:timers/promises', () => {
  const timers = jest.requireActual('node:timers/promises');
  return { ...timers, setTimeout: (_: number, value: unknown) => timers.setImmediate(value) };
});

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());
const stored = async () => (await RunModel.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);

const odd = fc.boolean();
const commandFaults: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>(
    { kind: 'none' },
    { kind: 'lost command' },
    { kind: 'lost answer' },
    { kind: 'lost read' },
    { kind: 'write concern not met' },
    { kind: 'some not reached' },
  ),
  fc.record({
    kind: fc.constant('some fail' as const),
    odd,
    code: fc.constantFrom(AWAY, AWAY, REFUSED),
  }),
  fc.record({ kind: fc.constant('refused' as const), odd }),
);
const faults: fc.Arbitrary<Fault[]> = fc.array(
  fc.oneof(
    { arbitrary: commandFaults, weight: 3 },
    fc.record({
      kind: fc.constantFrom('overtaken' as const, 'lost answer, overtaken' as const),
      odd,
      by: fc.constantFrom(
        'claims' as const,
        'pushes' as const,
        'ends' as const,
        'cancels' as const,
      ),
    }),
  ),
  { maxLength: 12, size: 'max' },
);

/** The writes of a run: so many entries of its journal one after another, and then its end or its suspension. */
interface Writes {
  entries: number;
  last: 'SUCCESS' | 'WAITING';
}

/** What a worker was told of the writes of one run. */
interface Told {
  id: number;
  /** Journal entries that are written. */
  pushed: number;
  left: boolean;
  stoppedBy: unknown;
}

async function writeAll(run: LeasedRun, { entries, last }: Writes): Promise<Told> {
  const id = run.doc._id;
  const told: Told = { id, pushed: 0, left: false, stoppedBy: null };
  try {
    for (; told.pushed < entries; told.pushed++) {
      const from = told.pushed;
      const entry = { n: from + 1, key: `${id}/${from + 1}` };
      await run.appendEntries({ entries: [entry], from, keptBytes: 0, journalBytes: 0 });
    }
    const entry = { n: entries + 1, key: `${id}/last` };
    const batch = { entries: [entry], from: entries, keptBytes: 0, journalBytes: 0 };
    if (last === 'SUCCESS') await run.end({ status: last, output: '1' }, batch);
    else await run.suspend(new Date(), batch, { topics: ['signal/s'], wakeups: 0 });
    told.left = true;
  } catch (error) {
    told.stoppedBy = error;
  }
  return told;
}

/** Holds what was told against what is in the database, and against what somebody else made of the run. */
async function check(
  { id, pushed, left, stoppedBy }: Told,
  { entries, last }: Writes,
  found: RunDocument | undefined,
): Promise<void> {
  const run = await runOf(id);
  const keys = run.journal.map(({ key }) => key);
  const own = keys.filter((key) => key !== OTHER_KEY);
  const wanted = [...Array.from({ length: entries }, (_, n) => `${id}/${n + 1}`), `${id}/last`];
  // In order, none twice, and none that was reported written is missing.
  expect(own).toEqual(wanted.slice(0, own.length));
  expect(run.entries).toBe(keys.length);
  expect(own.length).toBeGreaterThanOrEqual(pushed + Number(left));
  // Nothing under an older fence is written after somebody else has taken the run.
  if (found) expect(run).toEqual(found);
  // The last write and its entry are one, which is there when it was reported.
  else expect(run.status).toBe(own.length === wanted.length ? last : 'RUNNING');
  if (!found) expect(run.live).toBe(run.status === 'SUCCESS' ? undefined : true);
  if (!found) expect(run.worker).toBe(run.status === 'RUNNING' ? 'me' : undefined);
  if (left) expect(run.status).toBe(last);
  if (stoppedBy === null) expect(left).toBe(true);
  else if (stoppedBy instanceof LeaseLostError) expect(found).toBeDefined();
  else expect((stoppedBy as mongo.MongoServerError).code).toBe(REFUSED);
}

test('every write is told its own outcome, whatever becomes of the command that it shares', async () => {
  let overtaken = 0;
  await fc.assert(
    fc.asyncProperty(
      faults,
      fc.array(
        fc.record<Writes>({ entries: fc.nat(3), last: fc.constantFrom('SUCCESS', 'WAITING') }),
        { minLength: 1, maxLength: 6, size: 'max' },
      ),
      async (given, wanted) => {
        const runs = await Promise.all(wanted.map(claimedRun));
        const failing = new FailingWrites(given);
        const all = await Promise.all(
          wanted.map((writes, at) => writeAll(runs[at] as LeasedRun, writes)),
        );
        jest.restoreAllMocks();
        for (const [at, told] of all.entries())
          await check(told, wanted[at] as Writes, failing.takenOver.get(told.id));
        overtaken += failing.takenOver.size;
      },
    ),
    { numRuns: 60 },
  );
  expect(overtaken).toBeGreaterThan(5);
});

test('every start is told its own outcome, whatever becomes of the command that it shares', async () => {
  let rejected = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(commandFaults, { minLength: 1, maxLength: 3, size: 'max' }),
      fc.integer({ min: 1, max: 6 }),
      async (given, count) => {
        const runs = newRuns(count);
        new FailingWrites(given);
        const outcomes = await Promise.allSettled(runs.map(insertRun));
        jest.restoreAllMocks();
        const ids = new Set(await stored());
        for (const [at, outcome] of outcomes.entries()) {
          const isStored = ids.has(runs[at]?._id ?? 0);
          if (outcome.status === 'fulfilled') expect(isStored).toBe(true);
          else if (isDatabaseAway(outcome.reason)) rejected++;
          // A command of one write has no other way to tell that it was carried out and failed.
          else expect([outcome.reason.code, isStored && count > 1]).toEqual([REFUSED, false]);
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(rejected).toBeGreaterThan(5);
});

test('updates of one turn are one command, and are not read again', async () => {
  const runs = await Promise.all(Array.from({ length: 20 }, claimedRun));
  const write = jest.spyOn(RunModel.collection, 'bulkWrite');
  const read = jest.spyOn(RunModel, 'find');
  await Promise.all(runs.map((run) => run.appendEntries(batchOf('a'))));
  await Promise.all(
    runs.map((run) => run.end({ status: 'SUCCESS' }, { ...batchOf('b'), from: 1 })),
  );
  expect([write.mock.calls.length, read.mock.calls.length]).toEqual([2, 0]);
  expect(await RunModel.countDocuments({ status: 'SUCCESS', entries: 2 })).toBe(20);
});

test('a suspension is refused alone where a notification or a cancel has come', async () => {
  const runs = await Promise.all(Array.from({ length: 4 }, claimedRun));
  const [, notified, cancelled] = runs.map(({ doc }) => doc._id);
  await RunModel.updateOne({ _id: notified }, { $inc: { wakeups: 1 } });
  await RunModel.updateOne({ _id: cancelled }, { cancelRequestedAt: new Date() });
  const outcomes = await Promise.allSettled(
    runs.map((run) => run.suspend(new Date(), batchOf('a'), { topics: [], wakeups: 0 })),
  );
  const done = { status: 'fulfilled' };
  const refused = { status: 'rejected', reason: expect.any(LeaseLostError) };
  expect(outcomes).toMatchObject([done, refused, refused, done]);
  expect(await RunModel.countDocuments({ status: 'WAITING', entries: 1 })).toBe(2);
  expect(await RunModel.countDocuments({ status: 'RUNNING', worker: 'me', entries: 0 })).toBe(2);
});

test('an update that cannot be sent fails alone', async () => {
  const [good, bad, other] = await Promise.all([claimedRun(), claimedRun(), claimedRun()]);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const outcomes = await Promise.allSettled([
    good.appendEntries(batchOf('a')),
    bad.appendEntries({
      ...batchOf('a'),
      entries: [{ n: 1, key: 'a', effect: circular as never }],
    }),
    other.appendEntries(batchOf('a')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await RunModel.countDocuments({ entries: 1 })).toBe(2);
});

describe('runs that are stored together', () => {
  test('are one command, and absent fields stay absent', async () => {
    const runs = newRuns(20);
    const write = jest.spyOn(RunModel.collection, 'insertMany');
    await Promise.all(runs.map((run) => insertRun({ ...run, worker: undefined } as never)));
    expect(write).toHaveBeenCalledTimes(1);
    expect(await RunModel.countDocuments({ worker: { $exists: true } })).toBe(0);
    expect(await stored()).toHaveLength(20);
  });

  test('are refused one by one', async () => {
    const [first, twice, last] = newRuns(3) as [RunDocument, RunDocument, RunDocument];
    await insertRun(twice);
    const outcomes = await Promise.allSettled([first, twice, last].map(insertRun));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 11000 } });
    expect(await stored()).toHaveLength(3);
  });

  test('fail alone when they cannot be sent', async () => {
    const runs = newRuns(3);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const bad = { ...runs[1], startedBy: circular } as never;
    const outcomes = await Promise.allSettled(
      [runs[0], bad, runs[2]].map((run) => insertRun(run as RunDocument)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await stored()).toHaveLength(2);
  });

  test('all fail when the database is away', async () => {
    const runs = newRuns(3);
    jest
      .spyOn(RunModel.collection, 'insertMany')
      .mockRejectedValueOnce(bulkError(new mongo.MongoNetworkError('gone')));
    const outcomes = await Promise.allSettled(runs.map(insertRun));
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && isDatabaseAway(outcome.reason)).toBe(true);
    }
  });

  test('are stored once when the command fails after some of them', async () => {
    const runs = newRuns(4);
    const insert = RunModel.collection.insertMany.bind(RunModel.collection);
    jest.spyOn(RunModel.collection, 'insertMany').mockImplementationOnce((async (all: object[]) => {
      await insert(all.slice(0, 2) as never);
      throw bulkError(new mongo.MongoServerError({ message: 'no', code: REFUSED }));
    }) as never);
    await Promise.all(runs.map(insertRun));
    expect(await stored()).toHaveLength(4);
  });

  test('are refused by a repetition too, where another run has their start key', async () => {
    const startKey = 'schedule/7/2026-01-31T09:30:00.000Z';
    await insertRun({ ...newRun(), startKey });
    const write = jest.spyOn(RunModel.collection, 'insertMany');
    write.mockRejectedValueOnce(
      bulkError(new mongo.MongoServerError({ message: 'no', code: REFUSED })),
    );
    const outcomes = await Promise.allSettled([{ ...newRun(), startKey }, newRun()].map(insertRun));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await stored()).toHaveLength(2);
  });
});

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
