import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { listLiveRuns } from '../../../services/runs/live-runs.ts';
import {
  cancelExecutions,
  countLiveExecutions,
  findExecution,
} from '../../../services/runs/workflow-executions.ts';
import { newExecution, onRunsDatabase, queueRun, storeRun } from './engine.ts';

onRunsDatabase();

const workflow = { workspaceId: 1, workflowId: 1 };
/** The entry of the outbox of the deleted workflow. */
const entry = { ...workflow, id: 'entry-1', at: '2026-01-01T00:00:00.000Z' };
const listeners = () => ({ onEnded: jest.fn(), onRequested: jest.fn() });

async function queueExecutions(
  count: number,
  { workflowId = 1, ...fields }: Partial<RunDocument> & { workflowId?: number } = {},
): Promise<RunDocument[]> {
  const runs = Array.from({ length: count }, () => newExecution(fields, { workflowId }));
  await RunModel.insertMany(runs, { lean: true });
  return runs;
}
const countCancelled = () => RunModel.countDocuments({ status: 'CANCELLED' });

test('the executions of a deleted workflow are cancelled, more than a batch of them, and no others', async () => {
  await queueExecutions(250);
  await queueExecutions(2, { workflowId: 2 });
  await queueExecutions(2, { workspaceId: 2 });
  await queueRun();
  expect(await countLiveExecutions(workflow)).toBe(250);
  const told = listeners();
  await cancelExecutions({ entries: [entry] }, told);
  expect([await countLiveExecutions(workflow), await countCancelled()]).toEqual([0, 250]);
  expect(told.onEnded).toHaveBeenCalledTimes(250);
  expect(await RunModel.countDocuments({ live: true })).toBe(5);
});

test('a repeated cancel changes nothing, and a worker is asked once to end what it holds', async () => {
  const held = newExecution({ status: 'RUNNING', worker: 'w', fence: 1 });
  const { ready, ...run } = held;
  await storeRun(run);
  await queueExecutions(1);
  const told = listeners();
  for (let n = 0; n < 3; n++) await cancelExecutions({ entries: [entry, entry] }, told);
  expect(told.onRequested.mock.calls).toEqual([[held._id]]);
  expect(told.onEnded).toHaveBeenCalledTimes(1);
  expect(await RunModel.findById(held._id).lean()).toMatchObject({
    status: 'RUNNING',
    cancelRequestedAt: expect.any(Date),
  });
});

test('live runs have the name of their flow or of their workflow', async () => {
  await queueRun({ flowName: 'a flow' });
  await queueExecutions(1);
  const listed = await listLiveRuns({ limit: 10 });
  expect(listed.map(({ name }) => name)).toEqual(['a flow', 'workflow']);
});

test('an execution is found by its id without its steps, and the run of a flow is none', async () => {
  const [execution] = await queueExecutions(1);
  const flowRun = await queueRun();
  const found = await findExecution(execution?._id ?? 0);
  expect(found?.execution).toMatchObject({ workflowId: 1, revision: 1 });
  expect(found?.execution).not.toHaveProperty('content');
  expect(await findExecution(flowRun._id)).toBeNull();
});
