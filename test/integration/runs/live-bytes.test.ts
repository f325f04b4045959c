import { RunModel } from '../../../models/run.model.ts';
import { endUpdateOf } from '../../../services/runs/engine/lease/leased-run.ts';
import { liveBytes } from '../../../services/runs/quotas/live-bytes.ts';
import { storedBytes } from '../../../services/runs/quotas/stored-bytes.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

it('is what live runs of the workspace have stored, and at most a quarter and 1 KiB more', async () => {
  const sizes = [1, 900, 1_024, 1_025, 5_000, 5_001, 400_000, 40_000_000];
  const statuses = ['RUNNING', 'WAITING', 'QUEUED'] as const;
  for (const [n, journalBytes] of sizes.entries())
    await queueRun({ journalBytes, status: statuses[n % 3] ?? 'RUNNING' });
  await queueRun(); // has no journal yet
  await queueRun({ workspaceId: 2, journalBytes: 5_000 });
  const all = sizes.reduce((sum, size) => sum + size);
  const bytes = await liveBytes(1);
  expect(bytes).toBeGreaterThanOrEqual(all);
  expect(bytes).toBeLessThanOrEqual(all * 1.25 + 1_024 * sizes.length);
  expect([await liveBytes(2), await liveBytes(3)]).toEqual([expect.any(Number), 0]);
});

it('counts a journal before the end of its run, and once after it', async () => {
  const { _id } = await queueRun({ baseBytes: 2_000, journalBytes: 100_000, status: 'WAITING' });
  expect(await storedBytes(1)).toBeGreaterThanOrEqual(102_000);
  await RunModel.updateOne({ _id }, endUpdateOf({ status: 'SUCCESS' }, new Date(), null));
  expect(await storedBytes(1)).toBe(102_000);
  await new RollupWriter().writeBatch(100);
  expect(await storedBytes(1)).toBe(102_000);
});

it('is counted by an index on all that is asked for, and kept for runs with a journal only', async () => {
  const journal = {
    live: true,
    workspaceId: 7,
    journalBytes: { $gt: 1_024, $lte: 1_280 },
  } as const;
  const { queryPlanner } = await RunModel.collection.find(journal).explain('queryPlanner');
  expect(queryPlanner.winningPlan.inputStage).toMatchObject({
    stage: 'IXSCAN',
    keyPattern: { live: 1, workspaceId: 1, journalBytes: 1 },
    isPartial: true,
  });
});
