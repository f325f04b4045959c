import { e2e, type Refusable, type Result } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { createWorkflow, execute } from '../../helpers/workflows.ts';

type Workflow = Result<'workflows.get'>;

const { owner, stranger, workspace } = e2e();

const create = (body: object, by = owner) =>
  by.call<Refusable<Workflow>>('POST', '/workflow', { body });
const update = (body: object, headers = {}) =>
  owner.call<Refusable<Workflow>>('PUT', '/workflow', { body, headers });

it('have exactly the fields of the specification', async () => {
  const { status, body } = await create({
    workspaceId: workspace.id,
    name: ' Order ',
    description: 'a\r\nb',
  });
  expect([status, body]).toEqual([
    200,
    { id: expect.any(Number), name: 'Order', description: 'a\nb', createdAt: body.createdAt },
  ]);
  expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect((await owner.call('GET', `/workflow/${body.id}`)).body).toEqual(body);
});

it.each([
  ['no name', { description: '' }, 'name'],
  ['no description', { name: 'x' }, 'description'],
  ['an empty name', { name: ' ', description: '' }, 'name'],
  ['an unknown field', { name: 'x', description: '', steps: [] }, 'steps'],
])('are refused with %s', async (_what, body, field) => {
  const { status, body: problem } = await create({ workspaceId: workspace.id, ...body });
  expect([status, problem.errors?.map(({ path }) => path)]).toEqual([400, [field]]);
});

it('change what is given, and nothing when sent back', async () => {
  const { body: made } = await create({
    workspaceId: workspace.id,
    name: 'Order',
    description: 'kept',
  });
  const changed = await update({ workflowId: made.id, name: 'Orders' });
  expect([changed.status, changed.body]).toEqual([200, { ...made, name: 'Orders' }]);
  expect((await update({ ...changed.body, workflowId: made.id })).body).toEqual(changed.body);
  for (const contradiction of [{ id: made.id + 1 }, { workspaceId: workspace.id + 1 }]) {
    const { status, body } = await update({ workflowId: made.id, ...contradiction });
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([
      400,
      Object.keys(contradiction),
    ]);
  }
  expect((await update({ workflowId: made.id }, { 'if-match': '"stale"' })).status).toBe(412);
});

it('are listed by id, in pages', async () => {
  const other = await createWorkspace(owner);
  const ids: number[] = [];
  for (let n = 0; n < 3; n++) ids.push(await createWorkflow(owner, other));
  ids.sort((one, two) => one - two); // two processes give ids of two blocks
  const list = (query: object) =>
    owner.call<Workflow[]>('GET', `/workspaces/${other}/workflows`, { query: { ...query } });
  expect((await list({})).body.map(({ id }) => id)).toEqual(ids);
  const first = await list({ limit: 2 });
  expect(first.headers.link).toMatch(/rel="next"/);
});

it('are deleted with an empty 200, and are 404 afterwards', async () => {
  const id = await workspace.workflow();
  const { status, text } = await owner.call('DELETE', `/workflow/${id}`);
  expect([status, text]).toEqual([200, '']);
  for (const path of ['', '/steps', '/text', '/executions']) {
    expect((await owner.call('GET', `/workflow/${id}${path}`)).status).toBe(404);
  }
  expect((await owner.call('DELETE', `/workflow/${id}`)).status).toBe(404);
});

it('with live executions are deleted only with cancel=true', async () => {
  const steps = [{ key: 'rest', definition: { wait: 'PT1H' } }];
  const id = await workspace.workflow(steps);
  await execute(owner, id);
  const refused = await owner.call<ProblemBody>('DELETE', `/workflow/${id}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'EXECUTIONS_LIVE']);
  const bad = await owner.call('DELETE', `/workflow/${id}`, { query: { cancel: 'yes' } });
  expect(bad.status).toBe(400);
  const removed = await owner.call('DELETE', `/workflow/${id}`, { query: { cancel: 'true' } });
  expect(removed.status).toBe(200);
});

it('are made by members only, and are 404 for others', async () => {
  const guest = await workspace.member('GUEST');
  const body = { workspaceId: workspace.id, name: 'x', description: '' };
  expect((await create(body, guest)).status).toBe(403);
  expect((await create(body, stranger)).status).toBe(404);
});
