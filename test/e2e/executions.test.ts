import type { Refusable } from '../fixtures/e2e.ts';
import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { registerVerified } from '../helpers/people.ts';
import { endOf, getRun, runToEnd, stepsOf } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import {
  type ExecutionAnswer,
  execute,
  publishSteps,
  type WorkflowStep,
} from '../helpers/workflows.ts';

const { server, owner: ada, workspace, api } = e2e();

const WAIT = { query: { wait: 20_000 } };
const RESTING: WorkflowStep[] = [{ key: 'rest', definition: { wait: { days: 20 } } }];
const setting = (value: unknown): WorkflowStep[] => [
  { key: 'only', definition: { set: { v: value } } },
];
const newWorkflow = (steps?: readonly WorkflowStep[], name?: string) =>
  workspace.workflow(steps, name);

test('runs the published steps, in order, and is shown as an execution by each of its addresses', async () => {
  const steps = [
    { key: 'first', definition: { set: { x: `\${ $input.a + 1 }` } } },
    { key: 'second', definition: { set: { sum: `\${ $.x + 1 }`, run: `\${ $run }` } } },
  ];
  const workflowId = await newWorkflow(steps, 'Order sync');
  const { status, body: execution } = await execute(ada, workflowId, {
    ...WAIT,
    body: { input: { a: 1 } },
  });
  expect(status).toBe(200);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { id, startedAt } = execution;
  expect(execution).toEqual({
    id: expect.any(Number),
    workspaceId: workspace.id,
    workflowId,
    workflowName: 'Order sync',
    revision: 1,
    configuration: null,
    status: 'SUCCESS',
    input: { a: 1 },
    output: { sum: 3, run: { id, workflowId, workspaceId: workspace.id, attempt: 1, startedAt } },
    error: null,
    startedBy: { type: 'person', id: ada.id, name: 'Owner Lovelace' },
    retryOf: null,
    createdAt: time,
    startedAt: time,
    wakeAt: null,
    completedAt: time,
  });
  expect(await getRun(ada, id)).toEqual(execution);
  expect((await ada.call('GET', `/executions/${id}`)).body).toEqual(execution);
  const recorded = await stepsOf(ada, id);
  expect(recorded.map(({ name, path }) => [name, path])).toEqual([
    ['first', '/do/0/first'],
    ['second', '/do/1/second'],
  ]);
  const { body: step } = await ada.call('GET', `/flows/runs/${id}/steps/${recorded[0]?.id}`);
  expect(step).toMatchObject({ name: 'first', output: { x: 2 } });
});

test('a publication while it runs changes neither its steps nor its revision', async () => {
  const held = { call: 'http', with: { method: 'get', endpoint: `${api.url}/hold/published` } };
  const workflowId = await newWorkflow([{ key: 'held', definition: held }, ...setting('old')]);
  const { body } = await execute(ada, workflowId);
  await waitFor('the call', () => api.keysOf('/hold/published').length > 0);
  expect(await publishSteps(ada, workflowId, setting('new'))).toBe(2);
  api.letGo();
  expect(await endOf(ada, body.id)).toMatchObject({ revision: 1, output: { v: 'old' } });
});

test('keeps its revision and name, and outlives its workflow', async () => {
  const workflowId = await newWorkflow([...RESTING, ...setting(1)], 'as it was');
  const { status, body } = await execute(ada, workflowId);
  expect([status, body.revision]).toEqual([202, 1]);
  expect(await publishSteps(ada, workflowId, setting(2))).toBe(2);
  await ada.call('PUT', '/workflow', { body: { workflowId, name: 'as it is' } });
  const later = await execute(ada, workflowId, WAIT);
  expect(later.body).toMatchObject({ revision: 2, workflowName: 'as it is', output: { v: 2 } });
  const kept = (await ada.call<ExecutionAnswer>('GET', `/executions/${body.id}`)).body;
  expect(kept).toMatchObject({ revision: 1, workflowName: 'as it was' });

  const refused = await ada.call<ProblemBody>('DELETE', `/workflow/${workflowId}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'EXECUTIONS_LIVE']);
  const query = { cancel: 'true' };
  expect((await ada.call('DELETE', `/workflow/${workflowId}`, { query })).status).toBe(200);
  expect((await ada.call('GET', `/workflow/${workflowId}/executions`)).status).toBe(404);
  expect((await execute(ada, workflowId)).status).toBe(404);
  expect(await getRun(ada, later.body.id)).toEqual(later.body);
  expect((await endOf(ada, body.id)).status).toBe('CANCELLED');
});

test('executions of a workflow are listed newest first, page by page, without those of others', async () => {
  const [workflowId, other] = [await newWorkflow(setting(1)), await newWorkflow(setting(2))];
  const ids: number[] = [];
  for (let n = 0; n < 3; n++) ids.unshift((await execute(ada, workflowId, WAIT)).body.id);
  await execute(ada, other, WAIT);
  const path = `/workflow/${workflowId}/executions`;
  const first = await ada.call<ExecutionAnswer[]>('GET', path, { query: { limit: 2 } });
  expect(first.body.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const next = /<([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
  const { pathname, search } = new URL(next, server.url);
  const rest = await ada.call<ExecutionAnswer[]>('GET', pathname + search);
  expect(rest.body.map(({ id }) => id)).toEqual(ids.slice(2));
  expect(first.text + rest.text).not.toContain('content');
});

test.each([
  ['its own address', (id: number) => `/executions/${id}/cancel`],
  ['that of runs', (id: number) => `/flows/runs/${id}/cancel`],
])('is cancelled by %s, once', async (_, pathOf) => {
  const { body } = await execute(ada, await newWorkflow(RESTING));
  const cancel = () => ada.call<Refusable<ExecutionAnswer>>('POST', pathOf(body.id));
  const cancelled = await cancel();
  expect([cancelled.status, cancelled.body.workflowId]).toEqual([202, body.workflowId]);
  const again = await cancel();
  expect([again.status, again.body.code]).toEqual([409, 'RUN_ENDED']);
});

test('a run of a flow is no execution', async () => {
  const flowId = await workspace.flow('do:\n  - one: { set: { a: 1 } }\n');
  const { id } = await runToEnd(ada, flowId);
  expect((await ada.call('GET', `/executions/${id}`)).status).toBe(404);
  expect((await ada.call('POST', `/executions/${id}/cancel`)).status).toBe(404);
});

test('a start with an Idempotency-Key that is repeated starts one execution', async () => {
  const workflowId = await newWorkflow(RESTING);
  const headers = { 'idempotency-key': `execution-of-${workflowId}` };
  const [first, second] = [
    await execute(ada, workflowId, { headers }),
    await execute(ada, workflowId, { headers }),
  ];
  expect([second.status, second.text]).toEqual([202, first.text]);
  expect(second.headers['idempotent-replayed']).toBe('true');
  const { body } = await ada.call<unknown[]>('GET', `/workflow/${workflowId}/executions`);
  expect(body).toHaveLength(1);
});

test('a start without wait, and one whose end does not come in time, is a 202', async () => {
  const workflowId = await newWorkflow(RESTING);
  const atOnce = await execute(ada, workflowId);
  expect([atOnce.status, atOnce.body.status]).toEqual([202, 'RUNNING']);
  const later = await execute(ada, workflowId, { query: { wait: 300 } });
  expect([later.status, later.body.status]).toEqual([202, 'WAITING']);
});

describe('refuses', () => {
  test('a workflow without steps, after faults of the request', async () => {
    const workflowId = await newWorkflow();
    const { status, body } = await execute<ProblemBody>(ada, workflowId);
    expect([status, body.code]).toEqual([409, 'WORKFLOW_HAS_NO_STEPS']);
    const faulty = await execute<ProblemBody>(ada, workflowId, { body: { configuration: 'none' } });
    expect([faulty.status, faulty.body.errors?.[0]?.path]).toEqual([400, 'configuration']);
  });

  test.each([
    ['wait', { query: { wait: 30_001 } }],
    ['versionId', { body: { versionId: 1 } }],
    ['input', { body: { input: 'x'.repeat(240 * 1024) } }],
  ])('%s out of bounds', async (field, options) => {
    const { status, body } = await execute<ProblemBody>(
      ada,
      await newWorkflow(setting(1)),
      options,
    );
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, [field]]);
  });

  test('strangers everywhere, and guests who start or cancel', async () => {
    const workflowId = await newWorkflow(RESTING);
    const { body: execution } = await execute(ada, workflowId);
    const eve = await registerVerified(server.url, 'Eve');
    const guest = await workspace.member('GUEST');
    for (const [method, path] of [
      ['POST', `/workflow/${workflowId}/execute`],
      ['GET', `/workflow/${workflowId}/executions`],
      ['GET', `/executions/${execution.id}`],
      ['POST', `/executions/${execution.id}/cancel`],
      ['GET', `/flows/runs/${execution.id}`],
      ['POST', `/flows/runs/${execution.id}/cancel`],
    ] as const) {
      expect([path, (await eve.call(method, path)).status]).toEqual([path, 404]);
      const allowed = method === 'POST' ? 403 : 200;
      expect([path, (await guest.call(method, path)).status]).toEqual([path, allowed]);
    }
  });
});
