import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { getRun } from '../helpers/runs.ts';
import { type ExecutionAnswer, editStep, execute, executeDraft } from '../helpers/workflows.ts';

const { owner: ada, workspace } = e2e();

const WAIT = { query: { wait: 20_000 } };
const setting = (v: unknown) => ({ key: 'only', definition: { set: { v } } });
/** A workflow that publishes one step, of which the branch has another definition. */
async function newBranch(draft: object = setting('draft').definition) {
  const workflowId = await workspace.workflow([setting('published')]);
  const branch = { workspaceId: workspace.id, workflowId };
  const snapshotId = await editStep(ada, branch, { key: 'only', definition: draft });
  return { branch, workflowId, snapshotId };
}

test('runs the steps of the branch, is marked, and has the id of the snapshot for its revision', async () => {
  const { branch, workflowId, snapshotId } = await newBranch();
  const { status, body } = await executeDraft(ada, branch, WAIT);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    workflowId,
    revision: snapshotId,
    draft: true,
    output: { v: 'draft' },
  });
  expect(await getRun(ada, body.id)).toEqual(body);
  const published = (await execute(ada, workflowId, WAIT)).body;
  expect(published).toMatchObject({ revision: 1, output: { v: 'published' } });
  expect(published).not.toHaveProperty('draft');
  const path = `/workflow/${workflowId}/executions`;
  const { body: listed } = await ada.call<ExecutionAnswer[]>('GET', path);
  expect(listed).toEqual([published, body]);
});

test('each run of a draft has the snapshot of its start', async () => {
  const { branch, snapshotId } = await newBranch();
  const before = (await executeDraft(ada, branch, WAIT)).body;
  const next = await editStep(ada, branch, setting('edited'));
  const after = (await executeDraft(ada, branch, WAIT)).body;
  expect(next).toBeGreaterThan(snapshotId);
  expect([before, after]).toMatchObject([
    { revision: snapshotId, output: { v: 'draft' } },
    { revision: next, output: { v: 'edited' } },
  ]);
});

test('deleted steps of the branch do not run', async () => {
  const { branch, workflowId } = await newBranch();
  await editStep(ada, branch, { key: 'next', definition: { set: { v: 'next' } } });
  const path = `/dev-mode/branches/${workflowId}/steps/only`;
  expect((await ada.call('DELETE', path, { query: { workspaceId: workspace.id } })).status).toBe(
    200,
  );
  expect((await executeDraft(ada, branch, WAIT)).body.output).toEqual({ v: 'next' });
  await ada.call('DELETE', path.replace('only', 'next'), { query: { workspaceId: workspace.id } });
  const { status, body } = await executeDraft<ProblemBody>(ada, branch);
  expect([status, body.code]).toEqual([409, 'WORKFLOW_HAS_NO_STEPS']);
});

test('a repeat by key starts one run, although the branch was edited meanwhile', async () => {
  const { branch, workflowId } = await newBranch();
  const start = { ...WAIT, headers: { 'idempotency-key': `draft-of-${workflowId}` } };
  const first = await executeDraft(ada, branch, start);
  await editStep(ada, branch, setting('edited'));
  const second = await executeDraft(ada, branch, start);
  expect([second.status, second.text]).toEqual([200, first.text]);
});

describe('refuses', () => {
  type BranchProblem = ProblemBody & { problems: { key: string; path: string; code: string }[] };

  test('a draft with problems, and names them with their places', async () => {
    const { branch, workflowId } = await newBranch({ set: { v: 1 }, sett: {} });
    const { status, body } = await executeDraft<BranchProblem>(ada, branch);
    expect([status, body.code]).toEqual([409, 'BRANCH_HAS_PROBLEMS']);
    expect(body.problems[0]).toMatchObject({ key: 'only', path: '/sett' });
    expect((await execute(ada, workflowId, WAIT)).status).toBe(200);
  });

  test('a configuration that there is not, before it looks at the draft', async () => {
    const { branch } = await newBranch({ sett: {} });
    const options = { body: { configuration: 'none' } };
    const { status, body } = await executeDraft<ProblemBody>(ada, branch, options);
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['configuration']]);
  });

  test('a workflow without a branch', async () => {
    const workflowId = await workspace.workflow([setting('published')]);
    expect((await executeDraft(ada, { workspaceId: workspace.id, workflowId })).status).toBe(404);
  });

  test("a workspace that is not the workflow's", async () => {
    const { workflowId } = await newBranch();
    const other = await createWorkspace(ada);
    const answer = await executeDraft(ada, { workspaceId: other, workflowId });
    expect(answer.status).toBe(404);
    const path = `/dev-mode/branches/${workflowId}/run`;
    const { status, body } = await ada.call<ProblemBody>('POST', path);
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'workspaceId']);
  });
});
