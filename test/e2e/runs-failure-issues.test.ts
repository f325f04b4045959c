import { e2e, type Result } from '../fixtures/e2e.ts';
import { runToEnd } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

type Issue = Result<'issues.get'>;

const { server, owner, freshWorkspace: workspace } = e2e();

const errorOf = (title: string) => ({
  raise: { error: { type: 'https://example.com/stock', status: 409, title, detail: 'None left.' } },
});
/** A flow whose runs fail with the title of their input. */
const failingFlow = (onFailure: object, more: object = {}): Promise<number> =>
  workspace.flow(
    JSON.stringify({
      metadata: { onFailure },
      do: [{ fail: errorOf(`\${ $input.title }`) }],
      ...more,
    }),
    'orders',
  );
const addressOf = ({ id }: { id: number }) => `${server.url}/flows/runs/${id}`;
const fail = (flowId: number, title = 'OUT_OF_STOCK') => runToEnd(owner, flowId, { title });
const issuesOf = async (): Promise<Issue[]> =>
  (await owner.call<Issue[]>('GET', workspace.issues)).body;
const untilIssues = (what: string, test: (issues: Issue[]) => boolean): Promise<Issue[]> =>
  waitFor(what, async () => {
    const issues = await issuesOf();
    return test(issues) ? issues : null;
  });
const oneOpen = ([issue, ...more]: Issue[]): boolean => issue?.status === 'OPEN' && !more.length;

test('a failing run raises one issue for its error, which is opened again when it fails again', async () => {
  const member = await workspace.member('MEMBER');
  const flowId = await failingFlow({ issue: true, assignedUserId: member.id });
  const first = await fail(flowId);
  expect(first.status).toBe('FAILED');
  const [issue] = await untilIssues('the issue', oneOpen);
  expect(issue).toMatchObject({
    title: 'orders failed: OUT_OF_STOCK',
    description: `Run ${first.id} of the flow orders (${flowId}) failed at /do/0/fail.\n\nOUT_OF_STOCK (409, https://example.com/stock)\n\nNone left.\n\nFailed 1 time\nLast run: ${addressOf(first)}`,
    assignee: { id: member.id },
  });
  const path = `${workspace.issues}/${issue?.id}`;
  await owner.call('PUT', path, { body: { status: 'RESOLVED', description: 'We look at it.' } });
  const second = await fail(flowId);
  const [again] = await untilIssues('the issue again', oneOpen);
  expect(again).toMatchObject({
    id: issue?.id,
    description: `We look at it.\n\nFailed 2 times\nLast run: ${addressOf(second)}`,
    assignee: { id: member.id },
  });
  await owner.call('PUT', path, { body: { status: 'IN_PROGRESS' } });
  await fail(flowId);
  const isCounted = ([one]: Issue[]): boolean => /^Failed 3 times$/m.test(one?.description ?? '');
  const [counted] = await untilIssues('the third failure', isCounted);
  expect(counted).toMatchObject({ id: issue?.id, status: 'IN_PROGRESS' });
  await fail(flowId, 'ANOTHER_ERROR');
  await untilIssues('the issue of another error', ({ length }) => length === 2);
});

test('a run that times out raises an issue, and nobody is assigned who has left', async () => {
  const member = await workspace.member('MEMBER');
  const flowId = await failingFlow(
    { issue: true, assignedUserId: member.id },
    { timeout: { after: { seconds: 1 } }, do: [{ rest: { wait: { hours: 1 } } }] },
  );
  const query = { userEmail: member.email };
  const left = await owner.call('DELETE', `${workspace.path}/users`, { query });
  expect(left.status).toBeLessThan(300);
  expect((await fail(flowId)).status).toBe('TIMED_OUT');
  expect(await untilIssues('the issue', oneOpen)).toMatchObject([
    { title: 'orders failed: RUN_TIMEOUT', assignee: null },
  ]);
});

test('runs that succeed, and flows without the wish, raise none', async () => {
  const caught = { try: [{ fail: errorOf('CAUGHT') }], catch: { do: [] } };
  const calm = await workspace.flow(
    JSON.stringify({ metadata: { onFailure: { issue: true } }, do: [{ caught }] }),
  );
  expect((await runToEnd(owner, calm)).status).toBe('SUCCESS');
  const mute = await workspace.flow(
    JSON.stringify({ metadata: { onFailure: { issue: false } }, do: [{ fail: errorOf('MUTE') }] }),
  );
  expect((await runToEnd(owner, mute)).status).toBe('FAILED');
  await fail(await failingFlow({ issue: true })); // its issue comes after those of the runs before
  expect(await untilIssues('the issue', oneOpen)).toMatchObject([
    { title: 'orders failed: OUT_OF_STOCK' },
  ]);
});
