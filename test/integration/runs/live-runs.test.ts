import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { cancelRunsOf } from '../../../services/runs/erase-runs.ts';
import { cancelFlowRuns, countLiveFlowRuns } from '../../../services/runs/flow-runs.ts';
import { listLiveRuns } from '../../../services/runs/live-runs.ts';
import {
  cancelExecutions,
  countLiveExecutions,
  findExecution,
} from '../../../services/runs/workflow-executions.ts';
import { CLAIMED, newChild, newExecution, newRun, onRunsDatabase } from './engine.ts';

onRunsDatabase();

const listeners = () => ({ onEnded: jest.fn(), onRequested: jest.fn() });
type Listeners = ReturnType<typeof listeners>;

const flow = { workspaceId: 1, flowId: 7 };
const workflow = { workspaceId: 1, workflowId: 7 };
/** The rest of the entry of the outbox of the deleted flow or workflow. */
const entry = { id: 'entry-1', at: '2026-01-01T00:00:00.000Z' };
const runOfFlow = (fields: Partial<RunDocument> = {}) => newRun({ flowId: 7, ...fields });
const executionOf = (fields: Partial<RunDocument> = {}, workflowId = 7) =>
  newExecution(fields, { workflowId });

const store = (...runs: RunDocument[]) => RunModel.insertMany(runs, { lean: true });
const many = (count: number, make: () => RunDocument) => Array.from({ length: count }, make);

describe.each([
  {
    what: 'runs of a deleted flow',
    newOne: runOfFlow,
    // Child runs, and runs that wait.
    special: [() => newChild(1, { flowId: 7 }), () => runOfFlow({ status: 'WAITING' })],
    others: [
      () => newRun({ flowId: 8 }),
      () => runOfFlow({ workspaceId: 2 }),
      () => newExecution({}, { workflowId: 7 }),
    ],
    count: () => countLiveFlowRuns(flow),
    cancel: (told: Listeners) =>
      cancelFlowRuns({ entries: [1, 2].map(() => ({ ...flow, ...entry })) }, told),
  },
  {
    what: 'executions of a deleted workflow',
    newOne: executionOf,
    special: [],
    others: [
      () => executionOf({}, 8),
      () => executionOf({ workspaceId: 2 }),
      () => newRun({ flowId: 7 }),
    ],
    count: () => countLiveExecutions(workflow),
    cancel: (told: Listeners) =>
      cancelExecutions({ entries: [1, 2].map(() => ({ ...workflow, ...entry })) }, told),
  },
])('the $what', ({ newOne, special, others, count, cancel }) => {
  test('are cancelled, more than a batch of them, and no others', async () => {
    await store(...many(250 - special.length, () => newOne()), ...special.map((make) => make()));
    await store(...others.flatMap((make) => many(2, make)));
    expect(await count()).toBe(250);
    const told = listeners();
    await cancel(told);
    expect([await count(), await RunModel.countDocuments({ status: 'CANCELLED' })]).toEqual([
      0, 250,
    ]);
    expect(told.onEnded).toHaveBeenCalledTimes(250);
    expect(await RunModel.countDocuments({ live: true })).toBe(2 * others.length);
  });

  test('are cancelled once, and a worker is asked once to end what it holds', async () => {
    const held = newOne(CLAIMED);
    await store(held, newOne());
    const told = listeners();
    for (let n = 0; n < 3; n++) await cancel(told);
    expect(told.onRequested.mock.calls).toEqual([[held._id]]);
    expect(told.onEnded).toHaveBeenCalledTimes(1);
    expect(await RunModel.findById(held._id).lean()).toMatchObject({
      status: 'RUNNING',
      cancelRequestedAt: expect.any(Date),
    });
  });
});

test('live runs have the name of their flow or of their workflow', async () => {
  await store(newRun({ flowName: 'a flow' }), newExecution());
  const listed = await listLiveRuns({ limit: 10 });
  expect(listed.map(({ name }) => name)).toEqual(['a flow', 'workflow']);
});

test('an execution is found by its id without its steps, and the run of a flow is none', async () => {
  const [execution, flowRun] = [newExecution(), newRun()];
  await store(execution, flowRun);
  const found = await findExecution(execution._id);
  expect(found?.execution).toMatchObject({ workflowId: 1, revision: 1 });
  expect(found?.execution).not.toHaveProperty('content');
  expect(await findExecution(flowRun._id)).toBeNull();
});

test('a deletion cancels all live runs of a deleted workspace in one call, and none of another workspace', async () => {
  await store(...many(250, () => newRun()), newRun({ workspaceId: 2 }));
  const ended = await cancelRunsOf(1, listeners());
  const live = (workspaceId: number) => RunModel.countDocuments({ workspaceId, live: true });
  expect([ended, await live(1), await live(2)]).toEqual([true, 0, 1]);
});
