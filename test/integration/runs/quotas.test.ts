import { FlowError } from '@workspace-automation/flow-language';
import type { JournalEntry } from '../../../models/journal-entry.ts';
import { RunModel } from '../../../models/run.model.ts';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { endUpdateOf } from '../../../services/runs/engine/lease/leased-run.ts';
import { liveBytes } from '../../../services/runs/quotas/live-bytes.ts';
import { journalBytesOf } from '../../../services/runs/quotas/run-bytes.ts';
import { queuedRuns } from '../../../services/runs/quotas/start-quotas.ts';
import { storedBytes } from '../../../services/runs/quotas/stored-bytes.ts';
import { createTreeQuota, liveRunsBelow } from '../../../services/runs/quotas/tree-quota.ts';
import { RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { callsTo, endOf, onRunsDatabase, queueRun, runOf, waitOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

test('the queued runs of a workspace are counted, no further than it needs to be known', async () => {
  for (let n = 0; n < 5; n++) await queueRun({ workspaceId: 7 });
  await queueRun({ workspaceId: 7, status: 'RUNNING' });
  await queueRun({ workspaceId: 8 });
  expect([await queuedRuns(7, 100), await queuedRuns(7, 3), await queuedRuns(9, 3)]).toEqual([
    5, 3, 0,
  ]);
});

test('a run knows what its journal takes, wherever its entries are, and what its result takes', async () => {
  const [before, rest, after] = [callsTo(...Array(40).fill('/a')), waitOf(300), callsTo('/b')];
  const plan = { ...before, tasks: [...before.tasks, ...rest.tasks.slice(0, 1), ...after.tasks] };
  const { _id } = await queueRun();
  await started(workerOf({ plan, send: async () => ({ text: 'é'.repeat(2_000) }) }));
  await endOf({ _id }, 'SUCCESS');
  const run = await runOf(_id);
  const moved = await RunStepModel.find().lean<JournalEntry[]>();
  expect(moved.length).toBeGreaterThan(40);
  expect(run.journalBytes).toBe(journalBytesOf([...moved, ...run.journal]));
  expect(run.journalBytes).toBeGreaterThan(40 * 4_000);
  expect(run.resultBytes).toBe(Buffer.byteLength(run.output ?? ''));
});

describe('the bytes of live runs', () => {
  test('are what live runs of the workspace have stored, and at most a quarter and 1 KiB more', async () => {
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

  test('have a journal before the end of its run, and the rollups have it once after its end', async () => {
    const { _id } = await queueRun({ baseBytes: 2_000, journalBytes: 100_000, status: 'WAITING' });
    expect(await storedBytes(1)).toBeGreaterThanOrEqual(102_000);
    await RunModel.updateOne({ _id }, endUpdateOf({ status: 'SUCCESS' }, new Date(), null));
    expect(await storedBytes(1)).toBe(102_000);
    await new RollupWriter().writeBatch(100);
    expect(await storedBytes(1)).toBe(102_000);
  });
});

describe('the quota of the runs below a run', () => {
  let keys = 0;
  const childOf = (runId: number, rootId: number, fields: object = {}) =>
    queueRun({
      isChild: true,
      parent: { runId, key: `/do/0/child#${keys++}`, depth: runId === rootId ? 1 : 2, rootId },
      ...fields,
    });

  async function storeTree() {
    const { _id: root } = await queueRun();
    const { _id: child } = await childOf(root, root);
    await childOf(child, root);
    await childOf(child, root, { status: 'WAITING' });
    await childOf(child, root, { status: 'SUCCESS' });
    const { _id: other } = await queueRun();
    await childOf(other, other);
    return { root, other };
  }

  test('counts the live runs below a run at all depths, no further than it needs to know', async () => {
    const { root, other } = await storeTree();
    const counts = [liveRunsBelow(root, 100), liveRunsBelow(root, 2), liveRunsBelow(other, 100)];
    expect(await Promise.all(counts)).toEqual([3, 2, 1]);
  });

  test('refuses a start above it with an error of the flow, and lets one begin for each that ended', async () => {
    const { root, other } = await storeTree();
    const quota = createTreeQuota(4);
    const start = (rootId = root) => quota.take(rootId, 1, () => childOf(rootId, rootId));
    const starts = await Promise.allSettled([start(), start(), start(), start(), start()]);
    // The tree counts as empty at first, and is measured before a start is refused.
    const refused = starts.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toBeInstanceOf(FlowError);
    expect(refused[0].problem).toMatchObject({ title: 'QUOTA_REACHED', status: 429 });
    await start(other);
    const live = await RunModel.find({ 'parent.rootId': root, live: true }, { _id: 1 }).lean();
    const ids = live.map(({ _id }) => _id).slice(0, live.length - 3);
    await RunModel.updateMany({ _id: { $in: ids } }, { $unset: { live: 1 } });
    const { _id } = await start();
    expect((await runOf(_id)).live).toBe(true);
    await expect(start()).rejects.toBeInstanceOf(FlowError);
  });

  test('costs no query while a run has few child runs', async () => {
    const measure = jest.fn(async () => 0);
    const quota = createTreeQuota(1_000, measure);
    await Promise.all(Array.from({ length: 400 }, () => quota.take(1, 1, async () => undefined)));
    expect(measure).not.toHaveBeenCalled();
  });
});
