import { RollupModel } from '../../../models/rollup.model.ts';
import { ROLLUP_PENDING, type RunDocument, RunModel } from '../../../models/run.model.ts';
import { baseBytesOf } from '../../../services/runs/quotas/run-bytes.ts';
import { storedBytes } from '../../../services/runs/quotas/stored-bytes.ts';
import { recentRuns } from '../../../services/runs/statistics/recent-runs.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { statisticsOf } from '../../../services/runs/statistics/statistics.ts';
import { newChild, newExecution, onRunsDatabase, queueRun, storeRun } from './engine.ts';

onRunsDatabase();

const DAY = '2026-03-01';
const ENDED = {
  status: 'SUCCESS',
  startedAt: new Date(`${DAY}T10:00:00.000Z`),
  completedAt: new Date(`${DAY}T10:00:02.000Z`),
  resultBytes: 50,
} as const;

let nextParent = 1_000_000;
const MADE = {
  executions: (fields: Partial<RunDocument>) => newExecution(fields),
  'child runs': (fields: Partial<RunDocument>) => newChild(nextParent++, fields),
};
const KINDS = Object.entries(MADE);

/** An ended run, whose creation and end are in no rollup yet. */
async function ended(make: (fields: Partial<RunDocument>) => RunDocument): Promise<RunDocument> {
  const run = make({ ...ENDED, baseBytes: 1_000, [ROLLUP_PENDING.end]: true });
  await storeRun(run);
  return run;
}
const recent = () => recentRuns({ workspaceId: 1, limit: 10, page: 0 });
const statistics = () =>
  statisticsOf({ workspaceIds: [1], from: DAY, to: DAY, flowId: undefined }, async () => null);

const FLOWS_ONLY = { totalRuns: 0, mostFrequentFlow: null, currentlyRunningJobs: 1 };

test.each(KINDS)(
  'statistics and recent runs are without %s, before and after the rollups are written',
  async (_, make) => {
    const flowRun = await queueRun({ status: 'RUNNING' });
    await ended(make);
    await storeRun(make({ status: 'RUNNING' }));
    const check = async () => {
      expect(await statistics()).toMatchObject(FLOWS_ONLY);
      const { totalElements, content } = await recent();
      expect([totalElements, content.map(({ id }) => id)]).toEqual([1, [flowRun._id]]);
    };
    await check();
    await new RollupWriter().writeBatch(100);
    expect(await RunModel.countDocuments({ [ROLLUP_PENDING.end]: true })).toBe(0);
    await check();
  },
);

test.each(KINDS)(
  'rollups have the bytes of %s, once, and count none of them, also when they are removed',
  async (_, make) => {
    const { _id } = await ended(make);
    const writer = new RollupWriter();
    expect(await storedBytes(1)).toBe(1_050);
    await writer.writeBatch(100);
    expect(await storedBytes(1)).toBe(1_050);
    expect(await RollupModel.find({}, { bytes: 1 }).sort({ _id: 1 }).lean()).toEqual([
      { _id: 'inputs/1', bytes: 1_000 },
      { _id: 'results/1', bytes: 50 },
    ]);
    await queueRun();
    await writer.writeBatch(100);
    await RunModel.updateOne({ _id }, { $set: { [ROLLUP_PENDING.removal]: true } });
    await writer.removeBatch(100, async (found) => found);
    expect(await RollupModel.findById('removed/1').lean()).toMatchObject({ runs: 0, bytes: 1_050 });
    expect([await storedBytes(1), (await recent()).totalElements]).toEqual([0, 1]);
    expect(await RunModel.exists({ _id })).toBeNull();
  },
);

test('the steps that an execution keeps are bytes of it', () => {
  const content = `{"do":[{"only":{"set":{"v":"${'ö'.repeat(1_000)}"}}}]}`;
  const [without, having] = [newExecution({}, { content: '' }), newExecution({}, { content })];
  expect(baseBytesOf(having) - baseBytesOf(without)).toBe(Buffer.byteLength(content));
});
