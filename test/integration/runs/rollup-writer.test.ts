import { RollupModel } from '../../../models/rollup.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { recentRuns } from '../../../services/runs/statistics/recent-runs.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { statisticsOf } from '../../../services/runs/statistics/statistics.ts';
import { newRun, newRuns, onRunsDatabase, queueRun, storeRun } from './engine.ts';

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const DAY = '2026-03-01';
async function endedRun(fields: Partial<RunDocument> = {}): Promise<RunDocument> {
  const { live, ready, ...run } = newRun({
    status: 'SUCCESS',
    startedAt: new Date(`${DAY}T10:00:00.000Z`),
    completedAt: new Date(`${DAY}T10:00:02.000Z`),
    unposted: true,
    ...fields,
  });
  await storeRun(run);
  return run;
}
async function endedRuns(count: number): Promise<void> {
  const ended = await endedRun();
  const others = newRuns(count - 1).map(({ _id }) => ({ ...ended, _id }));
  await RunModel.insertMany(others, { lean: true });
}
const rollup = (workspaceId = 1, flowId = 1) =>
  RollupModel.findById(`ended/${workspaceId}/${flowId}/${DAY}`).lean();
const pendingRuns = () => RunModel.countDocuments({ unposted: true });

test('a batch raises the rollups of flow and day, and of the workspace', async () => {
  for (const status of ['SUCCESS', 'SUCCESS', 'FAILED', 'TIMED_OUT', 'CANCELLED'] as const) {
    await endedRun({ status });
  }
  await endedRun({ flowId: 2 });
  await new RollupWriter().writeBatch(100);
  expect(await rollup()).toMatchObject({ runs: 5, success: 2, failed: 2, durationMs: 10_000 });
  expect(await rollup(1, 2)).toMatchObject({ runs: 1, success: 1 });
  expect(await RollupModel.findById('created/1').lean()).toMatchObject({ runs: 6 });
  expect(await pendingRuns()).toBe(0);
});

test('a run that was added is not added again, and `applied` does not grow', async () => {
  let now = 0;
  const writer = new RollupWriter(() => now);
  for (let n = 0; n < 150; n++) {
    await endedRun();
    await writer.writeBatch(100);
    await writer.writeBatch(100);
    now += 100;
  }
  const after = await rollup();
  expect(after?.runs).toBe(150);
  expect(after?.applied.length).toBeLessThanOrEqual(102);
});

test('a run is in `applied` for a second after its flag was cleared, however fast others follow', async () => {
  let now = 0;
  const writer = new RollupWriter(() => now);
  const first = await endedRun();
  await writer.writeBatch(200);
  now = 999;
  for (let n = 0; n < 5; n++) {
    await endedRuns(120);
    await writer.writeBatch(200);
  }
  expect((await rollup())?.applied).toContain(first._id);
  now = 1_000;
  await endedRun();
  await writer.writeBatch(200);
  expect((await rollup())?.applied).not.toContain(first._id);
});

test('the latest runs stay in `applied` for a reader whose two reads are minutes apart', async () => {
  let now = 0;
  const writer = new RollupWriter(() => now);
  const first = await endedRun();
  for (let n = 0; n < 90; n++) {
    await writer.writeBatch(200);
    now += 60_000;
    await endedRun();
  }
  await writer.writeBatch(200);
  expect((await rollup())?.applied).toContain(first._id);
});

test('runs whose flags may have been cleared leave `applied` as others do', async () => {
  let now = 0;
  const writer = new RollupWriter(() => now);
  const { collection } = RunModel;
  const bulkWrite = collection.bulkWrite.bind(collection);
  await endedRuns(20);
  jest.spyOn(collection, 'bulkWrite').mockImplementationOnce(async (...args) => {
    await bulkWrite(...args);
    throw new Error('the answer was lost');
  });
  await expect(writer.writeBatch(200)).rejects.toThrow('lost');
  for (let n = 0; n < 120; n++) {
    now += 2_000;
    await endedRun();
    await writer.writeBatch(200);
  }
  const after = await rollup();
  expect([after?.runs, after?.applied.length]).toEqual([140, 101]);
});

test('writers that know nothing yet leave the latest runs in `applied`, and no more', async () => {
  const first = await endedRun();
  await new RollupWriter().writeBatch(200);
  for (let n = 1; n <= 6; n++) {
    await endedRuns(120);
    await new RollupWriter().writeBatch(200);
    expect((await rollup())?.applied.includes(first._id)).toBe(n <= 5);
  }
  expect((await rollup())?.applied.length).toBeLessThanOrEqual(620);
});

test('a crash between the rollup and the flag loses and doubles nothing', async () => {
  await endedRun();
  await endedRun();
  jest.spyOn(RunModel.collection, 'bulkWrite').mockImplementation(() => {
    throw new Error('killed');
  });
  await expect(new RollupWriter().writeBatch(100)).rejects.toThrow('killed');
  jest.restoreAllMocks();
  await new RollupWriter().writeBatch(100); // the counter of created runs was first
  expect([(await rollup())?.runs, await pendingRuns()]).toEqual([2, 0]);
  await endedRun();
  await new RollupWriter().writeBatch(100);
  expect((await rollup())?.runs).toBe(3);
});

test('a writer that slept over its write is refused, and starts anew with its next batch', async () => {
  await endedRun();
  const sleeper = new RollupWriter();
  await sleeper.writeBatch(100); // knows the rollup at version 1
  await endedRun();
  const write = RollupModel.collection.bulkWrite.bind(RollupModel.collection);
  const writes = jest.spyOn(RollupModel.collection, 'bulkWrite').mockImplementationOnce((async (
    ...args: never[]
  ) => {
    await writeByOthers();
    return (write as (...a: never[]) => Promise<unknown>)(...args);
  }) as never);
  await endedRun();
  expect(await sleeper.writeBatch(100)).toEqual({ runs: 2, isContended: true });
  expect([(await rollup())?.runs, await pendingRuns()]).toEqual([4, 0]);
  await endedRun();
  expect(await sleeper.writeBatch(100)).toEqual({ runs: 1, isContended: false });
  expect([(await rollup())?.runs, await pendingRuns()]).toEqual([5, 0]);
  expect(writes).toHaveBeenCalledTimes(4);

  /** Others add the same run, clear its flag, and forget it with the next change. */
  async function writeByOthers() {
    await new RollupWriter().writeBatch(100);
    await endedRun();
    await new RollupWriter().writeBatch(100);
  }
});

test('of rollups written together, one that others have changed takes nothing twice', async () => {
  const writer = new RollupWriter();
  const write = async () => {
    for (const flowId of [1, 2, 3]) await endedRun({ flowId });
    await writer.writeBatch(100);
  };
  await write(); // knows the rollups
  await endedRun({ flowId: 2 });
  await new RollupWriter().writeBatch(100);
  const commands = jest.spyOn(RollupModel.collection, 'bulkWrite');
  await write();
  // Of created runs and of their inputs, of the ends of each flow and of all results.
  expect(commands.mock.calls.map(([operations]) => operations.length)).toEqual([6]);
  expect(await pendingRuns()).toBe(3); // two of them are in their flow's rollup
  expect((await rollup(1, 2))?.runs).toBe(2);
  await writer.writeBatch(100);
  const counts = [1, 2, 3].map(async (flowId) => (await rollup(1, flowId))?.runs);
  expect(await Promise.all(counts)).toEqual([2, 3, 2]);
  expect((await RollupModel.findById('created/1').lean())?.runs).toBe(7);
});

test('a batch that meets another writer forgets the rollups that are not its own, too', async () => {
  const writer = new RollupWriter();
  const endBoth = async () => {
    for (const workspaceId of [1, 2]) await endedRun({ workspaceId, flowId: workspaceId });
  };
  await endBoth();
  await writer.writeBatch(100); // knows the rollups
  await endBoth();
  await new RollupWriter().writeBatch(100);
  await endedRun();
  expect(await writer.writeBatch(100)).toEqual({ runs: 1, isContended: true });
  await endedRun({ workspaceId: 2, flowId: 2 });
  expect(await writer.writeBatch(100)).toEqual({ runs: 2, isContended: false });
  expect([(await rollup())?.runs, (await rollup(2, 2))?.runs, await pendingRuns()]).toEqual([
    3, 3, 0,
  ]);
});

test('a run that ended before it was counted is changed once for both', async () => {
  await endedRun();
  await queueRun();
  const commands = jest.spyOn(RunModel.collection, 'bulkWrite');
  await new RollupWriter().writeBatch(100);
  expect(commands).toHaveBeenCalledTimes(1);
  expect(commands.mock.calls[0]?.[0]).toMatchObject([
    {
      updateMany: {
        update: {
          $unset: { uncounted: 1, unposted: 1 },
          $set: { baseCounted: true, endCounted: true },
        },
      },
    },
    { updateMany: { update: { $unset: { uncounted: 1 }, $set: { baseCounted: true } } } },
  ]);
  expect((await rollup())?.runs).toBe(1);
  expect((await RollupModel.findById('created/1').lean())?.runs).toBe(2);
  expect(await RunModel.countDocuments({ uncounted: true })).toBe(0);
  expect(await pendingRuns()).toBe(0);
});

test('a run from which another writer has cleared one of two flags keeps neither', async () => {
  const writer = new RollupWriter();
  await endedRun();
  await writer.writeBatch(100); // knows the rollups
  const { _id } = await endedRun();
  const takeMarks = RunModel.collection.bulkWrite.bind(RunModel.collection);
  jest
    .spyOn(RunModel.collection, 'bulkWrite')
    .mockImplementationOnce(((...args: unknown[]) =>
      RunModel.updateOne({ _id }, { $unset: { uncounted: 1 }, $set: { baseCounted: true } }).then(
        () => (takeMarks as (...all: unknown[]) => unknown)(...args),
      )) as never);
  await writer.writeBatch(100);
  expect(await pendingRuns()).toBe(0);
  for (let n = 0; n < 3; n++) await writer.writeBatch(100);
  expect((await rollup())?.runs).toBe(2);
  expect((await RollupModel.findById('created/1').lean())?.runs).toBe(2);
});

test('a crash between the rollups of a batch loses and doubles nothing', async () => {
  const writer = new RollupWriter();
  const endAll = async () => {
    for (const flowId of [1, 2, 3]) await endedRun({ flowId });
  };
  await endAll();
  await writer.writeBatch(100);
  await endAll();
  const write = RollupModel.collection.bulkWrite.bind(RollupModel.collection);
  jest.spyOn(RollupModel.collection, 'bulkWrite').mockImplementationOnce((async (
    writes: unknown[],
  ) => {
    await (write as (some: unknown[]) => Promise<unknown>)(writes.slice(0, 1));
    throw new Error('killed');
  }) as never);
  await expect(writer.writeBatch(100)).rejects.toThrow('killed');
  await writer.writeBatch(100); // the same process, and another one
  await new RollupWriter().writeBatch(100);
  const counts = [1, 2, 3].map(async (flowId) => (await rollup(1, flowId))?.runs);
  expect(await Promise.all(counts)).toEqual([2, 2, 2]);
  expect((await RollupModel.findById('created/1').lean())?.runs).toBe(6);
  expect((await RollupModel.findById('inputs/1').lean())?.runs).toBe(6);
});

test('a value that cannot be stored is an error, and no endless repetition', async () => {
  const writer = new RollupWriter();
  await endedRun();
  await writer.writeBatch(100);
  const run = await endedRun();
  await RunModel.collection.updateOne(
    { _id: run._id as never },
    { $set: { resultBytes: Number.NaN } },
  );
  await expect(writer.writeBatch(100)).rejects.toThrow('the rollup results/1 cannot take');
  expect(await pendingRuns()).toBe(1);
});

test('many writers at once count each run once', async () => {
  for (let n = 0; n < 60; n++) await endedRun({ flowId: n % 3 });
  await Promise.all(Array.from({ length: 5 }, () => new RollupWriter().writeBatch(25)));
  await new RollupWriter().writeBatch(100);
  const runs = await Promise.all([0, 1, 2].map(async (flowId) => (await rollup(1, flowId))?.runs));
  expect(runs).toEqual([20, 20, 20]);
  expect((await RollupModel.findById('created/1').lean())?.runs).toBe(60);
});

test('statistics are the same before, between and after the steps of a batch', async () => {
  for (let n = 0; n < 4; n++) await endedRun({ status: n ? 'SUCCESS' : 'FAILED' });
  const read = () =>
    statisticsOf({ workspaceIds: [1], from: DAY, to: DAY }, async () => 'flow').then(
      ({ totalRuns, failedRuns, averageDuration }) => [totalRuns, failedRuns, averageDuration],
    );
  expect(await read()).toEqual([4, 1, 2]);
  jest.spyOn(RunModel.collection, 'bulkWrite').mockImplementation(() => {
    throw new Error('killed');
  });
  await new RollupWriter().writeBatch(100).catch(() => undefined);
  jest.restoreAllMocks();
  expect(await read()).toEqual([4, 1, 2]);
  await new RollupWriter().writeBatch(100);
  expect(await read()).toEqual([4, 1, 2]);
});

test('statistics read while writers work are never off by one', async () => {
  let over = false;
  const writer = async () => {
    const writer = new RollupWriter();
    while (!over) await writer.writeBatch(3);
  };
  const writers = [writer(), writer()];
  for (let n = 1; n <= 60; n++) {
    await endedRun();
    const { totalRuns } = await statisticsOf(
      { workspaceIds: [1], from: DAY, to: DAY },
      async () => 'flow',
    );
    const { totalElements } = await recentRuns({ workspaceId: 1, limit: 1, page: 0 });
    expect([totalRuns, totalElements]).toEqual([n, n]);
  }
  over = true;
  await Promise.all(writers);
});
