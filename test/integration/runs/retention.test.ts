import fc from 'fast-check';
import { RollupModel } from '../../../models/rollup.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { RunStepModel, runStepId } from '../../../models/run-step.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { isFirstWorker, Retention } from '../../../services/runs/engine/retention.ts';
import { findRun } from '../../../services/runs/find-run.ts';
import { allBytesOf } from '../../../services/runs/quotas/run-bytes.ts';
import { storedBytes } from '../../../services/runs/quotas/stored-bytes.ts';
import { getRetriedRun } from '../../../services/runs/starts/retried-run.ts';
import { recentRuns } from '../../../services/runs/statistics/recent-runs.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { statisticsOf } from '../../../services/runs/statistics/statistics.ts';
import { getStep, listSteps } from '../../../services/runs/steps.ts';
import { emptyRuns, onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const OLD = new Date('2026-01-01T10:00:00.000Z');
const HORIZON = new Date('2026-02-01T00:00:00.000Z');
const NEW = new Date('2026-02-02T10:00:00.000Z');

/** A run that ended then, with a step in its journal and others that were moved out of it. */
async function endedRun(completedAt: Date, fields: Partial<RunDocument> = {}) {
  const run = await queueRun({
    status: 'SUCCESS',
    startedAt: new Date(completedAt.getTime() - 2_000),
    completedAt,
    unposted: true,
    entries: 4,
    moved: 3,
    baseBytes: 1_100,
    journalBytes: 900,
    resultBytes: 50,
    ...fields,
  });
  const rows = [1, 2, 3].map((n) => ({ _id: runStepId(run._id, n), n, key: `k${n}` }));
  await RunStepModel.insertMany(rows);
  return run;
}
const retention = () =>
  new Retention({
    days: 30,
    worker: () => 'me',
    onError: (error) => {
      throw error;
    },
  });

async function removeAll(by = retention()): Promise<void> {
  while (await by.removeStep(HORIZON));
}

/** The values of counters and the values of a recount. */
async function books() {
  const runs = await RunModel.find({ workspaceId: 1 }).lean<RunDocument[]>();
  const { totalElements } = await recentRuns({ workspaceId: 1, limit: 1, page: 0 });
  return {
    counted: { runs: totalElements, bytes: await storedBytes(1) },
    found: { runs: runs.length, bytes: runs.reduce((sum, run) => sum + allBytesOf(run), 0) },
    steps: await RunStepModel.countDocuments(),
  };
}
const statistics = () =>
  statisticsOf({ workspaceIds: [1], from: '2026-01-01', to: '2026-02-28' }, async () => 'flow');

it('removes what ended too long ago, with its steps, and nothing else', async () => {
  for (let n = 0; n < 5; n++) await endedRun(OLD);
  const kept = [await endedRun(NEW), await queueRun({ createdAt: OLD, baseBytes: 1_024 })];
  await new RollupWriter().writeBatch(100);
  const before = await statistics();
  await removeAll();
  const left = await RunModel.find({}, { _id: 1 }).lean();
  expect(left.map(({ _id }) => _id)).toEqual(kept.map(({ _id }) => _id));
  const { counted, found, steps } = await books();
  expect(counted).toEqual({ runs: 2, bytes: 2_050 + 1_024 });
  expect([found.runs, steps]).toEqual([2, 3]);
  expect(await statistics()).toEqual(before);
});

it('keeps a run whose outbox has entries', async () => {
  const entry = { id: 'a', at: OLD, call: 'workspaces.recordAudit', params: {} };
  const { _id } = await endedRun(OLD, { outbox: [entry] });
  await new RollupWriter().writeBatch(100);
  await removeAll();
  expect(await RunModel.countDocuments()).toBe(1);
  await RunModel.updateOne({ _id }, { outbox: [] });
  await removeAll();
  expect(await RunModel.countDocuments()).toBe(0);
});

it('never touches a live run, however old, nor one that is not counted yet', async () => {
  const live = { createdAt: OLD, startedAt: OLD, deadlineAt: OLD };
  for (const status of ['QUEUED', 'RUNNING', 'WAITING'] as const)
    await queueRun({ status, ...live });
  await endedRun(OLD);
  await removeAll();
  expect(await RunModel.countDocuments()).toBe(4);
  await new RollupWriter().writeBatch(100);
  await removeAll();
  expect(await RunModel.countDocuments()).toBe(3);
});

it('goes in steps of at most 100 runs, and of few with many bytes', async () => {
  for (let n = 0; n < 130; n++) await endedRun(OLD, { entries: 0, moved: 0 });
  await new RollupWriter().writeBatch(200);
  const step = retention();
  const expired = () => RunModel.countDocuments({ expired: true });
  await step.removeStep(HORIZON);
  expect(await expired()).toBe(100);
  await step.removeStep(HORIZON);
  expect([await expired(), await RunModel.countDocuments()]).toEqual([0, 30]);
  await removeAll(step);
  for (let n = 0; n < 4; n++) await endedRun(OLD, { resultBytes: 3 * 1024 * 1024 });
  await new RollupWriter().writeBatch(200);
  await step.removeStep(HORIZON);
  await step.removeStep(HORIZON);
  expect(await RunModel.countDocuments()).toBe(2);
});

it('hides a run as soon as it is being removed', async () => {
  const { _id: runId } = await endedRun(OLD);
  await new RollupWriter().writeBatch(100);
  await retention().removeStep(HORIZON);
  expect(await findRun(runId)).toBeNull();
  await expect(listSteps({ runId, limit: 10 })).rejects.toMatchObject({ code: 404 });
  await expect(getStep({ runId, stepId: 1 })).rejects.toMatchObject({ code: 404 });
  await expect(getRetriedRun(runId)).rejects.toMatchObject({ code: 404 });
});

/** Lets so many writes through; the next one and all after it fail, as when the process ends there. */
function cutOffAfter(writes: number): void {
  let left = writes;
  const models = [RunModel, RunStepModel, RollupModel];
  const collections: Record<string, unknown>[] = models.map((one) => one.collection) as never;
  for (const collection of collections) {
    for (const write of ['insertOne', 'updateOne', 'updateMany', 'deleteMany', 'bulkWrite']) {
      const original = (collection[write] as (...args: unknown[]) => unknown).bind(collection);
      jest.spyOn(collection as never, write as never).mockImplementation(((...args: unknown[]) => {
        if (left-- <= 0) throw new Error('the process was cut off');
        return original(...args);
      }) as never);
    }
  }
}

it('ends right wherever it was cut off, again and again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }), async (cuts) => {
      await emptyRuns();
      for (let n = 0; n < 3; n++) await endedRun(n ? OLD : NEW);
      await new RollupWriter().writeBatch(100);
      const before = await statistics();
      for (const writes of cuts) {
        cutOffAfter(writes);
        await removeAll().catch(() => undefined);
        jest.restoreAllMocks();
        await endedRun(NEW); // other changes go on meanwhile
        await new RollupWriter().writeBatch(100);
      }
      await removeAll();
      const { counted, found, steps } = await books();
      expect(counted).toEqual(found);
      expect(steps).toBe(3 * counted.runs);
      expect(counted.runs).toBe(1 + cuts.length);
      expect((await statistics()).totalRuns).toBe(before.totalRuns + cuts.length);
    }),
    { numRuns: 25 },
  );
});

it('counts each run once where several remove at once', async () => {
  for (let n = 0; n < 60; n++) await endedRun(OLD, { workspaceId: 1 + (n % 2) });
  await endedRun(NEW);
  await new RollupWriter().writeBatch(200);
  await Promise.all([removeAll(), removeAll(), removeAll()]);
  await removeAll();
  const { counted, found, steps } = await books();
  expect(counted).toEqual(found);
  expect([counted.runs, steps]).toEqual([1, 3]);
  expect(await storedBytes(2)).toBe(0);
});

it('is the work of the first worker that is not dead, and of no other', async () => {
  const place = { beat: 0, capacity: 1, host: null, pid: 1, pidStart: null };
  await WorkerModel.create({ _id: 'a', dead: true, ...place });
  for (const _id of ['c', 'b']) await WorkerModel.create({ _id, ...place });
  const firsts = await Promise.all(['a', 'b', 'c', 'unknown'].map(isFirstWorker));
  expect(firsts).toEqual([false, true, false, false]);
});
