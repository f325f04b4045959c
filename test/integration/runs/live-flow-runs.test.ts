import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { cancelFlowRuns, countLiveFlowRuns } from '../../../services/runs/flow-runs.ts';
import { newExecution, newRun, onRunsDatabase, storeRun } from './engine.ts';

onRunsDatabase();

const flow = { workspaceId: 1, flowId: 7 };
/** The entry of the outbox of the deleted flow. */
const entry = { ...flow, id: 'entry-1', at: '2026-01-01T00:00:00.000Z' };
const listeners = () => ({ onEnded: jest.fn(), onRequested: jest.fn() });

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
