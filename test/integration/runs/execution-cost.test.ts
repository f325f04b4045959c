import { databaseCommand } from '../../../mixins/database/commands.ts';
import { workspaceSteps } from '../../../mixins/lifecycle/erasure-steps.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { listExecutions } from '../../../services/runs/list-runs.ts';
import { recentRuns } from '../../../services/runs/statistics/recent-runs.ts';
import { RunningCounts } from '../../../services/runs/statistics/running-counts.ts';
import { statisticsOf } from '../../../services/runs/statistics/statistics.ts';
import { countLiveExecutions } from '../../../services/runs/workflow-executions.ts';
import { captureCommands, examinedBy } from '../../helpers/captured-commands.ts';
import { newChild, newExecution, newRun, onRunsDatabase } from './engine.ts';

databaseCommand.subscribe(() => undefined); // so that the driver tells of its commands
onRunsDatabase();

const EXECUTIONS = 2_000;
const FLOW_RUNS = 40;

/** Runs of the fixture, half of them live, whose creation and end are in the rollups. */
async function store(count: number, make: (n: number) => RunDocument): Promise<void> {
  const runs = Array.from({ length: count }, (_, n) => {
    const { uncounted, ready, live, ...run } = make(n);
    if (n % 2) return { ...run, status: 'RUNNING', live: true, worker: 'w' };
    return { ...run, status: 'SUCCESS', startedAt: run.createdAt, completedAt: run.createdAt };
  });
  await RunModel.insertMany(runs, { lean: true });
}
const storeExecutions = (workflowId: number, count = EXECUTIONS) =>
  store(count, () => newExecution({}, { workflowId }));
const storeFlowRuns = (count = FLOW_RUNS) => store(count, () => newRun());

/** Adds up the keys and documents that all commands of some work examine. */
async function costOf(work: () => Promise<unknown>) {
  const captured = captureCommands();
  await work().finally(() => captured.stop());
  expect(captured.all).not.toEqual([]);
  const cost = { keys: 0, documents: 0 };
  for (const command of captured.all) {
    const { keys, documents } = await examinedBy(command);
    cost.keys += keys;
    cost.documents += documents;
  }
  return cost;
}

const READS = {
  'the first page of recent runs': () => recentRuns({ workspaceId: 1, limit: 10, page: 0 }),
  'the last page of recent runs': () => recentRuns({ workspaceId: 1, limit: 10, page: 3 }),
  statistics: () =>
    statisticsOf(
      { workspaceIds: [1], from: undefined, to: undefined, flowId: undefined },
      async () => null,
    ),
};

test.each(Object.entries(READS))('%s cost the same beside 2000 executions', async (_, read) => {
  await storeFlowRuns();
  const alone = await costOf(read);
  await storeExecutions(1);
  const beside = await costOf(read);
  expect(beside.keys).toBeLessThanOrEqual(alone.keys * 1.2);
  expect(beside.documents).toBeLessThanOrEqual(alone.documents * 1.2);
});

test('recent runs cost the same beside 2000 child runs, which no statistics count', async () => {
  await storeFlowRuns();
  const read = READS['the last page of recent runs'];
  const [alone, page] = [await costOf(read), await read()];
  await store(2_000, (n) => newChild(1, {}, `/do/0/child/${n}/1/1`));
  expect(await costOf(read)).toEqual(alone);
  expect(await read()).toEqual(page);
  expect(await READS.statistics()).toMatchObject({ currentlyRunningJobs: FLOW_RUNS / 2 });
  expect(await costOf(READS.statistics)).toMatchObject({ documents: 0 });
});

test('a thousand live runs and more are counted once a second, fewer at each request', async () => {
  const counts = new RunningCounts();
  const count = () => counts.count({ workspaceIds: [1], flowId: undefined });
  await storeFlowRuns(1_998);
  expect(await count()).toBe(999);
  await storeFlowRuns(2);
  expect(await count()).toBe(1_000);
  const captured = captureCommands();
  expect(await count().finally(() => captured.stop())).toBe(1_000);
  expect(captured.all).toEqual([]);
});

test('a page of recent runs examines that page, however many runs of flows there are', async () => {
  await storeFlowRuns(1_000);
  const { keys, documents } = await costOf(READS['the first page of recent runs']);
  expect([keys, documents].every((examined) => examined <= 20)).toBe(true);
});

test("a page of a workflow's executions examines that page, and its live ones are counted in an index", async () => {
  await storeFlowRuns(1_000);
  await storeExecutions(1, 1_000);
  await storeExecutions(2, 60);
  const page = () => listExecutions({ id: 2, workspaceId: 1 }, { limit: 10, after: undefined });
  expect((await page()).items).toHaveLength(10);
  const { keys, documents } = await costOf(page);
  expect([keys, documents].every((examined) => examined <= 20)).toBe(true);
  const count = () => countLiveExecutions({ workspaceId: 1, workflowId: 2 });
  expect(await count()).toBe(30);
  const counted = await costOf(count);
  expect(counted.documents).toBe(0);
  expect(counted.keys).toBeLessThanOrEqual(40);
});

test('the deletion of a workspace finds its runs in an index', async () => {
  await storeFlowRuns(300);
  await storeExecutions(1, 300);
  await store(4, (n) =>
    n % 2 ? newRun({ workspaceId: 2 }) : newExecution({ workspaceId: 2 }, { workflowId: 3 }),
  );
  const remove = workspaceSteps([RunModel, RunStepModel]).find(
    ({ name }) => name === 'runs: remove',
  );
  if (!remove) throw new Error('no step removes the runs');
  const target = { targetId: 2, addresses: [], requestedAt: new Date(), isLastPass: true };
  const cost = await costOf(() => remove.take(target, null));
  expect(cost.documents).toBeLessThanOrEqual(40);
  expect(await RunModel.countDocuments({ workspaceId: 2 })).toBe(0);
});
