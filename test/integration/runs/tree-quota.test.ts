import { FlowError } from '@workspace-automation/flow-language';
import { RunModel } from '../../../models/run.model.ts';
import { createTreeQuota, liveRunsBelow } from '../../../services/runs/quotas/tree-quota.ts';
import { onRunsDatabase, queueRun, runOf } from './engine.ts';

onRunsDatabase();

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
  const ended = await childOf(child, root);
  await RunModel.updateOne({ _id: ended._id }, { $unset: { live: 1 } });
  const { _id: other } = await queueRun();
  await childOf(other, other);
  return { root, other };
}

it('counts the live runs below a run at all depths, no further than it needs to know', async () => {
  const { root, other } = await storeTree();
  const counts = [liveRunsBelow(root, 100), liveRunsBelow(root, 2), liveRunsBelow(other, 100)];
  expect(await Promise.all(counts)).toEqual([3, 2, 1]);
});

it('asks for them by an index that begins with all that it asks for', async () => {
  const below = { 'parent.rootId': 7, live: true, isChild: true } as const;
  const { queryPlanner } = await RunModel.collection.find(below).explain('queryPlanner');
  const { inputStage } = queryPlanner.winningPlan;
  expect(inputStage.stage).toBe('IXSCAN');
  expect(Object.keys(inputStage.keyPattern)).toEqual(Object.keys(below));
});

it('refuses a start above it with an error of the flow, and lets one begin for each that ended', async () => {
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

it('costs no query while a run has few child runs', async () => {
  const measure = jest.fn(async () => 0);
  const quota = createTreeQuota(1_000, measure);
  await Promise.all(Array.from({ length: 400 }, () => quota.take(1, 1, async () => undefined)));
  expect(measure).not.toHaveBeenCalled();
});
