import fc from 'fast-check';
import { mongo } from 'mongoose';
import { isDatabaseAway } from '../../../mixins/failures.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { HeldRun, Overtaken } from '../../../services/runs/worker/held-run.ts';
import { insertRun } from '../../../services/runs/worker/run-writes.ts';
import { emptyRuns, onRunsDatabase, queueRun, runOf } from './engine.ts';
import { AWAY, bulkError, FailingWrites, type Fault, REFUSED } from './failing-writes.ts';

jest.mock('node:timers/promises', () => {
  const timers = jest.requireActual('node:timers/promises');
  return { ...timers, setTimeout: (_: number, value: unknown) => timers.setImmediate(value) };
});

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const odd = fc.boolean();
const faults: fc.Arbitrary<Fault[]> = fc.array(
  fc.oneof(
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
    fc.record({
      kind: fc.constantFrom('refused', 'overtaken', 'lost answer, overtaken' as const),
      odd,
    }) as fc.Arbitrary<Fault>,
  ),
  { maxLength: 12, size: 'max' },
);

/** What a worker was told of the writes of one run. */
interface Told {
  id: number;
  /** Journal entries that are written. */
  pushed: number;
  ended: boolean;
  stoppedBy: unknown;
}

/** A run as a worker has claimed it. */
async function claimedRun(): Promise<HeldRun> {
  const { _id } = await queueRun({ status: 'RUNNING', worker: 'me', fence: 1 });
  await RunModel.updateOne({ _id }, { $unset: { ready: 1 } });
  return new HeldRun(await runOf(_id), 'me', new AbortController().signal);
}

/** Writes so many entries to the journal, one after another, and then the end. */
async function writeAll(run: HeldRun, entries: number): Promise<Told> {
  const id = run.doc._id;
  const told: Told = { id, pushed: 0, ended: false, stoppedBy: null };
  try {
    for (; told.pushed < entries; told.pushed++) {
      const from = told.pushed;
      const entry = { n: from + 1, key: `${id}/${from + 1}` };
      await run.push({ entries: [entry], from, keptBytes: 0, journalBytes: 0 });
    }
    const last = { n: entries + 1, key: `${id}/end` };
    const batch = { entries: [last], from: entries, keptBytes: 0, journalBytes: 0 };
    await run.end({ status: 'SUCCESS', output: '1' }, batch);
    told.ended = true;
  } catch (error) {
    told.stoppedBy = error;
  }
  return told;
}

/** Holds what was told against what is in the database. */
async function check(told: Told, entries: number, found: string[] | undefined): Promise<void> {
  const { id, pushed, ended, stoppedBy } = told;
  const { journal, ...run } = await runOf(id);
  const keys = journal.map(({ key }) => key);
  const wanted = [...Array.from({ length: entries }, (_, n) => `${id}/${n + 1}`), `${id}/end`];
  // In order, none twice, and none that was reported written is missing.
  expect(keys).toEqual(wanted.slice(0, keys.length));
  expect(run.entries).toBe(keys.length);
  expect(keys.length).toBeGreaterThanOrEqual(pushed + Number(ended));
  // Nothing under an older fence is written after another worker has the run.
  if (found) expect([keys, run.worker, run.fence]).toEqual([found, 'another', 3]);
  // The end and its entry are one write, which is there when it was reported.
  expect(run.status === 'SUCCESS').toBe(keys.length === wanted.length);
  expect(run.live).toBe(run.status === 'SUCCESS' ? undefined : true);
  if (ended) expect(run.status).toBe('SUCCESS');
  if (stoppedBy === null) expect(ended).toBe(true);
  else if (stoppedBy instanceof Overtaken) expect(found).toBeDefined();
  else expect((stoppedBy as mongo.MongoServerError).code).toBe(REFUSED);
}

test('every write is told its own outcome, whatever becomes of the command that it shares', async () => {
  let overtaken = 0;
  await fc.assert(
    fc.asyncProperty(
      faults,
      fc.array(fc.nat(3), { minLength: 1, maxLength: 6, size: 'max' }),
      async (given, lengths) => {
        const runs = await Promise.all(lengths.map(claimedRun));
        const writes = new FailingWrites(given);
        const all = await Promise.all(runs.map((run, at) => writeAll(run, lengths[at] ?? 0)));
        jest.restoreAllMocks();
        for (const [at, told] of all.entries()) {
          await check(told, lengths[at] ?? 0, writes.takenOver.get(told.id));
        }
        overtaken += writes.takenOver.size;
      },
    ),
    { numRuns: 50 },
  );
  expect(overtaken).toBeGreaterThan(5);
});

const batchOf = (key: string) => ({
  entries: [{ n: 1, key }],
  from: 0,
  keptBytes: 0,
  journalBytes: 0,
});

test('updates of one turn are one command, and are not read again', async () => {
  const runs = await Promise.all(Array.from({ length: 20 }, claimedRun));
  const write = jest.spyOn(RunModel.collection, 'bulkWrite');
  const read = jest.spyOn(RunModel, 'find');
  await Promise.all(runs.map((run) => run.push(batchOf('a'))));
  await Promise.all(
    runs.map((run) => run.end({ status: 'SUCCESS' }, { ...batchOf('b'), from: 1 })),
  );
  expect([write.mock.calls.length, read.mock.calls.length]).toEqual([2, 0]);
  expect(await RunModel.countDocuments({ status: 'SUCCESS', entries: 2 })).toBe(20);
});

test('an update that cannot be sent fails alone', async () => {
  const [good, bad, other] = await Promise.all([claimedRun(), claimedRun(), claimedRun()]);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const outcomes = await Promise.allSettled([
    good.push(batchOf('a')),
    bad.push({ ...batchOf('a'), entries: [{ n: 1, key: 'a', effect: circular as never }] }),
    other.push(batchOf('a')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await RunModel.countDocuments({ entries: 1 })).toBe(2);
});

/** Runs as a start stores them, which are not stored yet. */
async function newRuns(count: number): Promise<RunDocument[]> {
  const runs = await Promise.all(Array.from({ length: count }, () => queueRun()));
  await emptyRuns();
  return runs;
}
const stored = async () => (await RunModel.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);

describe('runs that are stored together', () => {
  test('are one command, and absent fields stay absent', async () => {
    const runs = await newRuns(20);
    const write = jest.spyOn(RunModel.collection, 'insertMany');
    await Promise.all(runs.map((run) => insertRun({ ...run, worker: undefined } as never)));
    expect(write).toHaveBeenCalledTimes(1);
    expect(await RunModel.countDocuments({ worker: { $exists: true } })).toBe(0);
    expect(await stored()).toHaveLength(20);
  });

  test('are refused one by one', async () => {
    const [first, twice, last] = (await newRuns(3)) as [RunDocument, RunDocument, RunDocument];
    await insertRun(twice);
    const outcomes = await Promise.allSettled([first, twice, last].map(insertRun));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 11000 } });
    expect(await stored()).toHaveLength(3);
  });

  test('fail alone when they cannot be sent', async () => {
    const runs = await newRuns(3);
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
    const runs = await newRuns(3);
    jest
      .spyOn(RunModel.collection, 'insertMany')
      .mockRejectedValueOnce(bulkError(new mongo.MongoNetworkError('gone')));
    const outcomes = await Promise.allSettled(runs.map(insertRun));
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && isDatabaseAway(outcome.reason)).toBe(true);
    }
  });

  test('are stored once when the command fails after some of them', async () => {
    const runs = await newRuns(4);
    const insert = RunModel.collection.insertMany.bind(RunModel.collection);
    jest.spyOn(RunModel.collection, 'insertMany').mockImplementationOnce((async (all: object[]) => {
      await insert(all.slice(0, 2) as never);
      throw bulkError(new mongo.MongoServerError({ message: 'no', code: REFUSED }));
    }) as never);
    await Promise.all(runs.map(insertRun));
    expect(await stored()).toHaveLength(4);
  });
});
