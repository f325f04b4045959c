import { RollupModel } from '../../../models/rollup.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { recentRuns } from '../../../services/runs/statistics/recent-runs.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { statisticsOf } from '../../../services/runs/statistics/statistics.ts';
import { newRun, onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const DAY = '2026-03-01';
const ENDED = {
  status: 'SUCCESS',
  startedAt: new Date(`${DAY}T10:00:00.000Z`),
  completedAt: new Date(`${DAY}T10:00:02.000Z`),
  unposted: true,
} as const;
const endRun = (fields: Partial<RunDocument> = {}) => queueRun({ ...ENDED, ...fields });
async function endRuns(count: number): Promise<void> {
  await RunModel.insertMany(
    Array.from({ length: count }, () => newRun(ENDED)),
    { lean: true },
  );
}
/** Ends a run in each of the flows. */
async function endIn(...flowIds: number[]): Promise<void> {
  for (const flowId of flowIds) await endRun({ flowId });
}

const write = (writer = new RollupWriter()) => writer.writeBatch(200);
const rollup = (workspaceId = 1, flowId = 1) =>
  RollupModel.findById(`ended/${workspaceId}/${flowId}/${DAY}`).lean();
/** The runs in the rollup of each flow. */
const runsOf = (...flowIds: number[]) =>
  Promise.all(flowIds.map(async (flowId) => (await rollup(1, flowId))?.runs));
const runsIn = async (kind: 'created' | 'inputs') =>
  (await RollupModel.findById(`${kind}/1`).lean())?.runs;
const pendingRuns = () => RunModel.countDocuments({ unposted: true });
const statistics = () =>
  statisticsOf({ workspaceIds: [1], from: DAY, to: DAY }, async () => 'flow');

type Send = (writes: readonly object[]) => Promise<unknown>;
/** Calls `meet` in place of the next command of writes to the collection. */
function interceptWrite(
  collection: typeof RunModel.collection,
  meet: (send: Send, writes: readonly object[]) => Promise<unknown>,
): void {
  const bulkWrite = collection.bulkWrite.bind(collection) as (...args: unknown[]) => unknown;
  jest
    .spyOn(collection, 'bulkWrite')
    .mockImplementationOnce(((writes: readonly object[], options: object) =>
      meet(async (some) => bulkWrite(some, options), writes)) as never);
}
const rollups = RollupModel.collection as never as typeof RunModel.collection;

test('a batch raises the rollups of flow and day, and of the workspace', async () => {
  for (const status of ['SUCCESS', 'SUCCESS', 'FAILED', 'TIMED_OUT', 'CANCELLED'] as const) {
    await endRun({ status });
  }
  await endIn(2);
  await write();
  expect(await rollup()).toMatchObject({ runs: 5, success: 2, failed: 2, durationMs: 10_000 });
  expect(await rollup(1, 2)).toMatchObject({ runs: 1, success: 1 });
  expect([await runsIn('created'), await pendingRuns()]).toEqual([6, 0]);
});

describe('in `applied` of a rollup', () => {
  let now = 0;
  let writer: RollupWriter;
  beforeEach(() => {
    now = 0;
    writer = new RollupWriter(() => now);
  });
  const isApplied = async ({ _id }: RunDocument) => (await rollup())?.applied.includes(_id);

  test('runs do not grow in number, and none is added again', async () => {
    for (let n = 0; n < 150; n++) {
      await endRun();
      await write(writer);
      await write(writer);
      now += 100;
    }
    const after = await rollup();
    expect(after?.runs).toBe(150);
    expect(after?.applied.length).toBeLessThanOrEqual(102);
  });

  test('a run stays for a second after its flag was cleared, however fast others follow', async () => {
    const first = await endRun();
    await write(writer);
    now = 999;
    for (let n = 0; n < 5; n++) {
      await endRuns(120);
      await write(writer);
    }
    expect(await isApplied(first)).toBe(true);
    now = 1_000;
    await endRun();
    await write(writer);
    expect(await isApplied(first)).toBe(false);
  });

  test('the latest runs stay for a reader whose two reads are minutes apart', async () => {
    const first = await endRun();
    for (let n = 0; n < 90; n++) {
      await write(writer);
      now += 60_000;
      await endRun();
    }
    await write(writer);
    expect(await isApplied(first)).toBe(true);
  });

  test('runs whose flags may have been cleared stay no longer than others', async () => {
    await endRuns(20);
    interceptWrite(RunModel.collection, async (send, writes) => {
      await send(writes);
      throw new Error('the answer was lost');
    });
    await expect(write(writer)).rejects.toThrow('lost');
    for (let n = 0; n < 120; n++) {
      now += 2_000;
      await endRun();
      await write(writer);
    }
    const after = await rollup();
    expect([after?.runs, after?.applied.length]).toEqual([140, 101]);
  });

  test('the latest runs stay where writers know nothing yet, and no more', async () => {
    const first = await endRun();
    await write();
    for (let n = 1; n <= 6; n++) {
      await endRuns(120);
      await write();
      expect(await isApplied(first)).toBe(n <= 5);
    }
    expect((await rollup())?.applied.length).toBeLessThanOrEqual(620);
  });
});

test('a writer that slept over its write is refused, and starts anew with its next batch', async () => {
  await endRun();
  const sleeper = new RollupWriter();
  await write(sleeper); // knows the rollup at version 1
  await endRun();
  // Others add the same run, clear its flag, and forget it with the next change.
  interceptWrite(rollups, async (send, writes) => {
    await write();
    await endRun();
    await write();
    return send(writes);
  });
  const writes = jest.mocked(rollups.bulkWrite);
  await endRun();
  expect(await write(sleeper)).toEqual({ runs: 2, isContended: true });
  expect([await runsOf(1), await pendingRuns()]).toEqual([[4], 0]);
  await endRun();
  expect(await write(sleeper)).toEqual({ runs: 1, isContended: false });
  expect([await runsOf(1), await pendingRuns()]).toEqual([[5], 0]);
  expect(writes).toHaveBeenCalledTimes(4);
});

test('of rollups written together, one that others have changed takes nothing twice', async () => {
  const writer = new RollupWriter();
  await endIn(1, 2, 3);
  await write(writer); // knows the rollups
  await endIn(2);
  await write();
  const commands = jest.spyOn(rollups, 'bulkWrite');
  await endIn(1, 2, 3);
  await write(writer);
  // Of created runs and of their inputs, of the ends of each flow and of all results.
  expect(commands.mock.calls.map(([operations]) => operations.length)).toEqual([6]);
  expect(await pendingRuns()).toBe(3); // two of them are in their flow's rollup
  expect(await runsOf(2)).toEqual([2]);
  await write(writer);
  expect([await runsOf(1, 2, 3), await runsIn('created')]).toEqual([[2, 3, 2], 7]);
});

test('a batch that meets another writer forgets the rollups that are not its own, too', async () => {
  const writer = new RollupWriter();
  const endBoth = async () => {
    for (const id of [1, 2]) await endRun({ workspaceId: id, flowId: id });
  };
  await endBoth();
  await write(writer); // knows the rollups
  await endBoth();
  await write();
  await endRun();
  expect(await write(writer)).toEqual({ runs: 1, isContended: true });
  await endRun({ workspaceId: 2, flowId: 2 });
  expect(await write(writer)).toEqual({ runs: 2, isContended: false });
  const runs = [(await rollup())?.runs, (await rollup(2, 2))?.runs];
  expect([runs, await pendingRuns()]).toEqual([[3, 3], 0]);
});

test('a run that ended before it was counted is changed once for both', async () => {
  await endRun();
  await queueRun();
  const commands = jest.spyOn(RunModel.collection, 'bulkWrite');
  await write();
  expect(commands).toHaveBeenCalledTimes(1);
  expect(commands.mock.calls[0]?.[0]).toMatchObject([
    { updateMany: { update: { $unset: { uncounted: 1, unposted: 1 } } } },
    { updateMany: { update: { $unset: { uncounted: 1 } } } },
  ]);
  expect([await runsOf(1), await runsIn('created')]).toEqual([[1], 2]);
  expect(await RunModel.countDocuments({ uncounted: true })).toBe(0);
  expect(await pendingRuns()).toBe(0);
});

test('a run from which another writer has cleared one of two flags keeps neither', async () => {
  const writer = new RollupWriter();
  await endRun();
  await write(writer); // knows the rollups
  const { _id } = await endRun();
  interceptWrite(RunModel.collection, async (send, writes) => {
    await RunModel.updateOne({ _id }, { $unset: { uncounted: 1 } });
    return send(writes);
  });
  await write(writer);
  expect(await pendingRuns()).toBe(0);
  for (let n = 0; n < 3; n++) await write(writer);
  expect([await runsOf(1), await runsIn('created')]).toEqual([[2], 2]);
});

test('a crash between the rollups of a batch loses and doubles nothing', async () => {
  const writer = new RollupWriter();
  await endIn(1, 2, 3);
  await write(writer);
  await endIn(1, 2, 3);
  interceptWrite(rollups, async (send, writes) => {
    await send(writes.slice(0, 1));
    throw new Error('killed');
  });
  await expect(write(writer)).rejects.toThrow('killed');
  await write(writer); // the same process, and another one
  await write();
  expect(await runsOf(1, 2, 3)).toEqual([2, 2, 2]);
  expect([await runsIn('created'), await runsIn('inputs')]).toEqual([6, 6]);
});

test('a crash between the rollup and the flag loses and doubles nothing, and statistics are the same throughout', async () => {
  for (let n = 0; n < 4; n++) await endRun({ status: n ? 'SUCCESS' : 'FAILED' });
  const expectSame = async () =>
    expect(await statistics()).toMatchObject({ totalRuns: 4, failedRuns: 1, averageDuration: 2 });
  await expectSame();
  interceptWrite(RunModel.collection, () => Promise.reject(new Error('killed')));
  await expect(write()).rejects.toThrow('killed');
  expect([await runsOf(1), await pendingRuns()]).toEqual([[4], 4]);
  await expectSame();
  await write();
  expect([await runsOf(1), await pendingRuns()]).toEqual([[4], 0]);
  await expectSame();
  await endRun();
  await write();
  expect(await runsOf(1)).toEqual([5]);
});

test('a value that cannot be stored is an error, and no endless repetition', async () => {
  const writer = new RollupWriter();
  await endRun();
  await write(writer);
  const { _id } = await endRun();
  const resultBytes = Number.NaN;
  await RunModel.collection.updateOne({ _id: _id as never }, { $set: { resultBytes } });
  await expect(write(writer)).rejects.toThrow('the rollup results/1 cannot take');
  expect(await pendingRuns()).toBe(1);
});

test('many writers at once count each run once', async () => {
  for (let n = 0; n < 60; n++) await endIn(n % 3);
  await Promise.all(Array.from({ length: 5 }, () => new RollupWriter().writeBatch(25)));
  await write();
  expect([await runsOf(0, 1, 2), await runsIn('created')]).toEqual([[20, 20, 20], 60]);
});

test('statistics read while writers work are never off by one', async () => {
  let over = false;
  const work = async () => {
    const writer = new RollupWriter();
    while (!over) await writer.writeBatch(3);
  };
  const writers = [work(), work()];
  for (let n = 1; n <= 60; n++) {
    await endRun();
    const { totalRuns } = await statistics();
    const { totalElements } = await recentRuns({ workspaceId: 1, limit: 1, page: 0 });
    expect([totalRuns, totalElements]).toEqual([n, n]);
  }
  over = true;
  await Promise.all(writers);
});
