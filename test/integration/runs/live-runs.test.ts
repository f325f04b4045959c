import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { cancelRunsOf } from '../../../services/runs/erase-runs.ts';
import { cancelFlowRuns, countLiveFlowRuns } from '../../../services/runs/flow-runs.ts';
import { listLiveRuns } from '../../../services/runs/live-runs.ts';
import {
  cancelExecutions,
  countLiveExecutions,
  findExecution,
} from '../../../services/runs/workflow-executions.ts';
import { newExecution, newRun, onRunsDatabase, queueRun, storeRun } from './engine.ts';

onRunsDatabase();

const listeners = () => ({ onEnded: jest.fn(), onRequested: jest.fn() });

const flow = { workspaceId: 1, flowId: 7 };
/** The entry of the outbox of the deleted flow. */
const entry = { ...flow, id: 'entry-1', at: '2026-01-01T00:00:00.000Z' };

async function queueRuns(count: number, fields: Partial<RunDocument> = {}): Promise<void> {
  const runs = Array.from({ length: count }, () => newRun({ flowId: 7, ...fields }));
  await RunModel.insertMany(runs, { lean: true });
}

test('the runs of a deleted flow are cancelled, child runs and more than a batch of them, and no others', async () => {
  await queueRuns(248);
  await queueRuns(1, { isChild: true, parent: { runId: 1, key: '/do/0/a//1/1', depth: 1 } });
  await queueRuns(1, { status: 'WAITING', wakeAt: new Date(Date.now() + 60_000) });
  await queueRuns(2, { flowId: 8 });
  await queueRuns(2, { workspaceId: 2 });
  await storeRun(newExecution({}, { workflowId: 7 }));
  expect(await countLiveFlowRuns(flow)).toBe(250);
  const told = listeners();
  await cancelFlowRuns({ entries: [entry] }, told);
  expect(await countLiveFlowRuns(flow)).toBe(0);
  expect(told.onEnded).toHaveBeenCalledTimes(250);
  expect(await RunModel.countDocuments({ live: true })).toBe(5);
});

test('a repeated cancel changes nothing, and a worker is asked once to end what it holds', async () => {
  const { ready, ...held } = newRun({ flowId: 7, status: 'RUNNING', worker: 'w', fence: 1 });
  await storeRun(held);
  const told = listeners();
  for (let n = 0; n < 3; n++) await cancelFlowRuns({ entries: [entry, entry] }, told);
  expect(told.onRequested.mock.calls).toEqual([[held._id]]);
});

const workflow = { workspaceId: 1, workflowId: 1 };
/** The entry of the outbox of the deleted workflow. */
const deleted = { ...workflow, id: 'entry-1', at: '2026-01-01T00:00:00.000Z' };

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
  await cancelExecutions({ entries: [deleted] }, told);
  expect([await countLiveExecutions(workflow), await countCancelled()]).toEqual([0, 250]);
  expect(told.onEnded).toHaveBeenCalledTimes(250);
  expect(await RunModel.countDocuments({ live: true })).toBe(5);
});

test('a repeated cancel of executions changes nothing, and a worker is asked once to end what it holds', async () => {
  const held = newExecution({ status: 'RUNNING', worker: 'w', fence: 1 });
  const { ready, ...run } = held;
  await storeRun(run);
  await queueExecutions(1);
  const told = listeners();
  for (let n = 0; n < 3; n++) await cancelExecutions({ entries: [deleted, deleted] }, told);
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

test('a deletion cancels all live runs of a deleted workspace in one call, and none of another workspace', async () => {
  for (let n = 0; n < 250; n++) await queueRun();
  await queueRun({ workspaceId: 2 });
  const ended = await cancelRunsOf(1, listeners());
  const live = (workspaceId: number) => RunModel.countDocuments({ workspaceId, live: true });
  expect([ended, await live(1), await live(2)]).toEqual([true, 0, 1]);
});
