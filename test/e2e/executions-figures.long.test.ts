import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, endOf, runToEnd, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import { createWorkflow, editStep, execute, executeDraft } from '../helpers/workflows.ts';

const { owner: ada, api } = e2e({
  oneProcess: true, // each process has a share of the workspace's limit
  env: {
    OUTBOUND_ALLOW: '127.0.0.0/8',
    WORKSPACE_RUN_CONCURRENCY: '1',
    QUEUED_RUNS_PER_WORKSPACE: '1',
  },
});

const WAIT = { query: { wait: 20_000 } };
const ONE = { key: 'one', definition: { set: { a: 1 } } };
const REST = { key: 'rest', definition: { wait: { days: 20 } } };
const FLOW = 'do:\n  - one: { set: { a: 1 } }\n';

test('executions and runs of drafts are in no statistics and no recent runs', async () => {
  const workspaceId = await createWorkspace(ada);
  const flowId = await createFlow(ada, workspaceId, FLOW);
  const run = await runToEnd(ada, flowId);
  const workflowId = await createWorkflow(ada, workspaceId, [ONE]);
  const resting = await createWorkflow(ada, workspaceId, [REST]);
  await editStep(ada, { workspaceId, workflowId }, { ...ONE, definition: { set: { a: 2 } } });
  for (let n = 0; n < 2; n++) await execute(ada, workflowId, WAIT);
  await executeDraft(ada, { workspaceId, workflowId }, WAIT);
  const { body: live } = await execute(ada, resting);
  await waitFor('the wait', async () => {
    const { body } = await ada.call<{ status: string }>('GET', `/executions/${live.id}`);
    return body.status === 'WAITING';
  });
  const query = { workspaceId };
  const { body: statistics } = await ada.call('GET', '/flows/stats', { query });
  expect(statistics).toMatchObject({
    totalRuns: 1,
    successfulRuns: 1,
    failedRuns: 0,
    mostFrequentFlow: { flowId, runCount: 1 },
    currentlyRunningJobs: 0,
  });
  const { body: recent } = await ada.call('GET', '/flows/recent-runs', { query });
  expect(recent).toMatchObject({ totalElements: 1, totalPages: 1, content: [{ id: run.id }] });
  const { body: ofFlow } = await ada.call<unknown[]>('GET', `/flows/${flowId}/runs`);
  expect(ofFlow).toHaveLength(1);
});

test('executions count for the limit of runs at once, and for the quota of queued runs', async () => {
  const workspaceId = await createWorkspace(ada);
  const flowId = await createFlow(ada, workspaceId, FLOW);
  const held = { call: 'http', with: { method: 'get', endpoint: `${api.url}/hold` } };
  const steps = [{ key: 'held', definition: held }];
  const workflowId = await createWorkflow(ada, workspaceId, steps);
  const { body: first } = await execute(ada, workflowId);
  await waitFor('the call', () => api.calls.length === 1);
  const { body: second } = await execute(ada, workflowId);
  expect(second.status).toBe('QUEUED');
  const third = await execute<ProblemBody>(ada, workflowId);
  expect([third.status, third.body.code]).toEqual([409, 'QUOTA_REACHED']);
  expect((await startRun(ada, flowId)).status).toBe(409);
  for (const { id } of [first, second]) {
    await waitFor(`the end of ${id}`, async () => {
      api.letGo();
      const { body } = await ada.call<{ status: string }>('GET', `/executions/${id}`);
      return body.status === 'SUCCESS';
    });
  }
  await waitFor('the start of a run', async () => {
    const { status, body } = await startRun(ada, flowId);
    return status === 202 && (await endOf(ada, body.id)).status === 'SUCCESS';
  });
});

test('starts and cancels of executions are in the audit log, by the id of the run', async () => {
  const workspaceId = await createWorkspace(ada);
  const workflowId = await createWorkflow(ada, workspaceId, [REST]);
  const branch = { workspaceId, workflowId };
  await editStep(ada, branch, ONE);
  const [{ body: one }, { body: draft }] = [
    await execute(ada, workflowId),
    await executeDraft(ada, branch),
  ];
  await ada.call('POST', `/executions/${one.id}/cancel`);
  const log = async () => {
    const path = `/workspaces/${workspaceId}/audit-log`;
    const query = { resourceType: 'run' };
    type Entry = { operation: string; resource: { type: string; id: number } };
    return (await ada.call<Entry[]>('GET', path, { query })).body;
  };
  const entries = await waitFor('three entries', async () => {
    const found = await log();
    return found.length === 3 && found;
  });
  expect(new Set(entries.map(({ operation, resource }) => `${operation} ${resource.id}`))).toEqual(
    new Set([
      `runs.execute ${one.id}`,
      `runs.executeDraft ${draft.id}`,
      `runs.cancelExecution ${one.id}`,
    ]),
  );
});
