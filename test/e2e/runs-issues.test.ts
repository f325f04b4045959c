import { e2e, type Result } from '../fixtures/e2e.ts';
import type { Answer } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, type RunAnswer, runToEnd, stepsOf } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

type Issue = Result<'issues.get'>;

const { owner, stranger, freshWorkspace: workspace } = e2e();

const flowOf = (fields: object, within = workspace.id): Promise<number> => {
  const file = { do: [{ raise: { call: 'issue', with: { title: 'Orders stand', ...fields } } }] };
  return createFlow(owner, within, JSON.stringify(file));
};
const issuesOf = async (within = workspace.id): Promise<Issue[]> =>
  (await owner.call<Issue[]>('GET', `/workspaces/${within}/issues`)).body;
const update = (id: number, body: object): Promise<Answer<Issue>> =>
  owner.call<Issue>('PUT', `${workspace.issues}/${id}`, { body });
const issueOf = ({ output }: RunAnswer): Issue => output as Issue;

test('a flow raises an issue, which is its output as GET shows it', async () => {
  const member = await workspace.member('MEMBER');
  const description = `Since \${ $input.since }`;
  const run = await runToEnd(owner, await flowOf({ description, assignedUserId: member.id }), {
    since: 'Monday',
  });
  expect(run).toMatchObject({ status: 'SUCCESS', output: { status: 'OPEN' } });
  expect(await issuesOf()).toEqual([run.output]);
  expect(run.output).toMatchObject({
    title: 'Orders stand',
    description: 'Since Monday',
    assignee: { id: member.id, email: member.email },
  });
  expect(await stepsOf(owner, run.id)).toMatchObject([{ name: 'raise', output: run.output }]);
});

test('the audit log names the run', async () => {
  const run = await runToEnd(owner, await flowOf({}));
  const entry = await waitFor('the audit entry', async () => {
    const path = `${workspace.path}/audit-log`;
    const { body } = await owner.call<{ operation: string }[]>('GET', path);
    return body.find(({ operation }) => operation === 'issues.raise');
  });
  expect(entry).toMatchObject({
    actor: { type: 'run', id: run.id },
    via: 'run',
    resource: { type: 'issue', id: issueOf(run).id },
  });
});

test('runs with one fingerprint have one issue, which is opened again', async () => {
  const flowId = await flowOf({ title: `\${ $input.title }`, fingerprint: 'orders' });
  const { id } = issueOf(await runToEnd(owner, flowId, { title: 'One' }));
  await update(id, { status: 'CLOSED', description: 'By hand' });
  const again = issueOf(await runToEnd(owner, flowId, { title: 'Two' }));
  expect(again).toMatchObject({ id, title: 'Two', description: 'By hand', status: 'OPEN' });
  expect(await issuesOf()).toEqual([again]);
});

test('each round of a loop raises an issue of its own, unless a fingerprint joins them', async () => {
  const raiseIn = (fields: object) =>
    workspace.flow(
      JSON.stringify({
        do: [
          {
            all: {
              for: { each: 'n', in: `\${ [1, 2, 3] }` },
              do: [{ raise: { call: 'issue', with: { title: `Order \${ $n }`, ...fields } } }],
            },
          },
        ],
      }),
    );
  const titles = async () => (await issuesOf()).map(({ title }) => title).sort();
  await runToEnd(owner, await raiseIn({}));
  expect(await titles()).toEqual(['Order 1', 'Order 2', 'Order 3']);
  await runToEnd(owner, await raiseIn({ fingerprint: 'orders' }));
  expect(await titles()).toEqual(['Order 1', 'Order 2', 'Order 3', 'Order 3']);
});

test('a fingerprint of another workspace is another', async () => {
  const elsewhere = await createWorkspace(owner);
  await runToEnd(owner, await flowOf({ fingerprint: 'orders' }));
  await runToEnd(owner, await flowOf({ fingerprint: 'orders' }, elsewhere));
  expect([(await issuesOf()).length, (await issuesOf(elsewhere)).length]).toEqual([1, 1]);
});

test('an assignee of another workspace is unknown', async () => {
  const run = await runToEnd(owner, await flowOf({ assignedUserId: stranger.id }));
  expect(run).toMatchObject({
    status: 'FAILED',
    error: {
      title: 'REFERENCE_NOT_FOUND',
      status: 400,
      instance: '/do/0/raise',
      detail: `user ${stranger.id} is not a member of the workspace`,
    },
  });
  expect(await issuesOf()).toEqual([]);
});

test.each([
  ['title', { title: `\${ $pad("", 201, "x") }` }],
  ['title', { title: `\${ "two\\nlines" }` }],
  ['description', { description: `\${ $pad("", 10001, "x") }` }],
  ['fingerprint', { fingerprint: `\${ $pad("", 1001, "x") }` }],
])('a refused %s is named', async (field, fields) => {
  expect(await runToEnd(owner, await flowOf(fields))).toMatchObject({
    status: 'FAILED',
    error: {
      type: expect.stringContaining('/validation'),
      title: 'INPUT_REFUSED',
      status: 400,
      detail: expect.stringContaining(`the issue is refused: "${field}" must `),
    },
  });
});

test('a flow catches a refusal', async () => {
  const raise = { call: 'issue', with: { title: `\${ $pad("", 201, "x") }` } };
  const content = {
    do: [
      {
        guarded: {
          try: [{ raise }],
          catch: {
            errors: { with: { title: 'INPUT_REFUSED' } },
            do: [{ caught: { set: { caught: `\${ $error.status }` } } }],
          },
        },
      },
    ],
  };
  const run = await runToEnd(owner, await workspace.flow(JSON.stringify(content)));
  expect(run).toMatchObject({ status: 'SUCCESS', output: { caught: 400 } });
});
