import type { Json, Task, Template } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import { Busy, invalidField, NotFound, Problem, Unavailable } from '../../../contract/problem.ts';
import { notAssignable } from '../../../services/issues/issues.problems.ts';
import type { IssuesCalls } from '../../../services/runs/engine/execution/effects/effect.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  bearerCall,
  describedCall,
  planOf,
  sendJson,
  ToldConnections,
  useCalledServer,
} from './described-calls.ts';
import { newRun, onRunsDatabase, runOf, storeRun, workerOf } from './engine.ts';

const { started } = onRunsDatabase();
const server = useCalledServer();
const CANARY = 'canary-4711-secret';

type Raise = Parameters<IssuesCalls['raise']>[1];
type Issue = Awaited<ReturnType<IssuesCalls['raise']>>;
const ISSUE: Issue = {
  id: 8,
  title: 'Broken',
  description: '',
  status: 'OPEN',
  assignee: null,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

const literal = (value: Json): Template => ({ kind: 'literal', value });
const issueTask = (fields: Record<string, Json> = {}): Task => ({
  kind: 'call-issue',
  name: 'raise',
  path: '/do/raise',
  title: literal('Broken'),
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, literal(value)])),
});

/** Runs tasks to their end, while `raise` answers for the service `issues`. */
async function runTasks(tasks: readonly Task[], raise: IssuesCalls['raise']) {
  const connections = new ToldConnections();
  connections.prepare = () => bearerCall(`${server.url}/orders`, CANARY);
  const evaluator = {
    evaluate: async ({ template }: { template: Template }) =>
      template.kind === 'literal' ? template.value : null,
    test: async () => true,
  };
  const issues = { raise };
  const plan = planOf(...tasks);
  const worker = workerOf({ plan, outbound: server.client, connections, issues, evaluator });
  const run = newRun({ workspaceId: 3, flowId: 301 });
  await (await started(worker)).store(run, storeRun);
  await waitFor('the end of the run', async () => !(await runOf(run._id)).live, 30_000);
  return runOf(run._id);
}
const errorOf = ({ error }: { error: string | null }) => JSON.parse(error ?? 'null');

test('an issue is raised as the run, by the key of the effect, and is the output', async () => {
  const seen: unknown[] = [];
  const fields = { description: 'Text', assignedUserId: 5, fingerprint: 'orders' };
  const run = await runTasks([issueTask(fields)], async ({ _id, workspaceId }, params) => {
    seen.push([{ _id, workspaceId }, params]);
    return ISSUE;
  });
  expect(seen).toEqual([
    [
      { _id: run._id, workspaceId: 3 },
      { workspaceId: 3, key: `${run._id}/do/raise//1`, title: 'Broken', ...fields },
    ],
  ]);
  expect(JSON.parse(run.output ?? '')).toEqual(ISSUE);
});

test('an issue shows no secret that the run has sent', async () => {
  const seen: Raise[] = [];
  server.answer = (_, response) => sendJson(response, {});
  const fields = { title: `Key ${CANARY}`, description: `${CANARY}.`, fingerprint: CANARY };
  await runTasks([describedCall('ask'), issueTask(fields)], async (_, params) => {
    seen.push(params);
    return ISSUE;
  });
  expect(seen).toMatchObject([{ title: 'Key ***', description: '***.', fingerprint: '***' }]);
});

test.each([
  ['an outage', new Problem(Unavailable, 'away')],
  ['too many changes at once', new Problem(Busy, 'busy')],
  ['no service', new Errors.ServiceNotFoundError({ action: 'issues.raise' })],
  ['no answer', new Errors.RequestTimeoutError({ action: 'issues.raise', nodeID: 'a' })],
])('a run waits through %s, and repeats the raise with the same key', async (_, failure) => {
  const keys: string[] = [];
  const run = await runTasks([issueTask()], async (_run, { key }) => {
    keys.push(key);
    if (keys.length < 3) throw failure;
    return ISSUE;
  });
  expect(run).toMatchObject({ status: 'SUCCESS', backoff: { times: 2 } });
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
});

test.each([
  [
    'a stranger',
    notAssignable('assignedUserId', 6),
    { title: 'REFERENCE_NOT_FOUND', detail: 'user 6 is not a member of the workspace' },
  ],
  [
    'a bad title',
    invalidField('title', 'too_big', 'must have at most 200 characters'),
    {
      type: expect.stringContaining('/validation'),
      status: 400,
      title: 'INPUT_REFUSED',
      detail: 'the issue is refused: "title" must have at most 200 characters',
    },
  ],
  ['a deleted workspace', new Problem(NotFound, 'gone'), { title: 'REFERENCE_NOT_FOUND' }],
])('a run with %s fails', async (_, refusal, error) => {
  const run = await runTasks([issueTask()], () => Promise.reject(refusal));
  expect(run.status).toBe('FAILED');
  expect(errorOf(run)).toMatchObject({ instance: '/do/raise', ...error });
});
