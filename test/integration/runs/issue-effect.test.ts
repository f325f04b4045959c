import type { Json, Task } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import { Busy, NotFound, Problem, Unavailable } from '../../../contract/problem.ts';
import type { IssuesCalls } from '../../../services/runs/engine/execution/effects/effect.ts';
import { CANARY, describedCall, onDescribedRuns, sendJson } from './described-calls.ts';
import { errorOf, literal } from './engine.ts';

const { server, runTasks } = onDescribedRuns();

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

const issueTask = (fields: Record<string, Json> = {}): Task => ({
  kind: 'call-issue',
  name: 'raise',
  path: '/do/raise',
  title: literal('Broken'),
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, literal(value)])),
});

/** Runs tasks to their end, while `raise` answers for the service `issues`. */
const raiseIn = (tasks: readonly Task[], raise: IssuesCalls['raise']) =>
  runTasks(tasks, {}, { issues: { raise } });

test('an issue shows no secret that the run has sent', async () => {
  const seen: Raise[] = [];
  server.answer = (_, response) => sendJson(response, {});
  const fields = { title: `Key ${CANARY}`, description: `${CANARY}.`, fingerprint: CANARY };
  await raiseIn([describedCall('ask'), issueTask(fields)], async (_, params) => {
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
  const run = await raiseIn([issueTask()], async (_run, { key }) => {
    keys.push(key);
    if (keys.length < 3) throw failure;
    return ISSUE;
  });
  expect(run).toMatchObject({ status: 'SUCCESS', backoff: { times: 2 } });
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
});

test('a run of a deleted workspace fails', async () => {
  const gone = new Problem(NotFound, 'gone');
  const run = await raiseIn([issueTask()], () => Promise.reject(gone));
  expect(run.status).toBe('FAILED');
  expect(errorOf(run)).toMatchObject({ instance: '/do/raise', title: 'REFERENCE_NOT_FOUND' });
});
