import { waitFor } from '../../helpers/wait.ts';
import { execute } from '../../helpers/workflows.ts';
import { BranchCalls, set, step } from './branch.ts';

let branch: BranchCalls;
beforeEach(async () => {
  branch = await BranchCalls.create([step('a', 1), step('b', 2), step('c', 3)]);
});

it('is 404 without a branch', async () => {
  expect((await branch.publish()).status).toBe(404);
});

it('publishes the branch, which stays without differences', async () => {
  await branch.edit('b', { definition: set(20) });
  await branch.edit('n', { definition: set(9), position: 0 });
  await branch.remove('c');
  const { status, body } = await branch.publish();
  const steps = [step('n', 9), step('a', 1), step('b', 20)];
  expect([status, body]).toEqual([200, { revision: 2, steps }]);
  expect(await branch.published()).toEqual({ revision: 2, steps });
  const after = (await branch.get()).body;
  expect(after.steps.map(({ key, status: of }) => [key, of])).toEqual([
    ['n', 'UNCHANGED'],
    ['a', 'UNCHANGED'],
    ['b', 'UNCHANGED'],
  ]);
  expect([after.baseRevision, after.diff, after.snapshot.id]).toEqual([2, [], 3]);
});

it('changes nothing without a difference', async () => {
  await branch.edit('b', { definition: set(20) });
  await branch.edit('b', { definition: set(2) });
  const before = await branch.published();
  expect([(await branch.publish()).status, await branch.published()]).toEqual([200, before]);
});

it('tells somebody who has read a step before it was published', async () => {
  const { revision } = (await branch.getStep('b')).body;
  await branch.edit('b', { definition: set(20) });
  await branch.publish();
  const late = await branch.edit('b', { definition: set(30), expectedRevision: revision });
  expect([late.status, late.body.currentRevision]).toEqual([409, 1]);
});

it('is refused while there are problems, and says which', async () => {
  await branch.edit('b', { definition: { sett: {} } });
  const { status, body } = await branch.publish();
  expect([status, body.code]).toEqual([409, 'BRANCH_HAS_PROBLEMS']);
  expect(new Set(body.problems.map(({ key }) => key))).toEqual(new Set(['b']));
  expect((await branch.published()).revision).toBe(1);
});

it('merges step by step with what was published directly meanwhile', async () => {
  await branch.edit('b', { definition: set(20) });
  await branch.publishDirectly([step('c', 3), step('a', 10), step('b', 2), step('d', 4)]);
  const { body } = await branch.publish();
  expect(body).toEqual({
    revision: 3,
    steps: [step('c', 3), step('a', 10), step('b', 20), step('d', 4)],
  });
  const kinds = (await branch.history()).body.map(({ key, kind }) => [key, kind]);
  expect(kinds).toEqual([
    ['b', 'MODIFIED'],
    [null, 'REBASED'],
  ]);
});

it('is refused when a step was changed on both sides, and says which', async () => {
  await branch.edit('b', { definition: set(20) });
  await branch.remove('c');
  await branch.publishDirectly([step('a', 1), step('b', 21), step('c', 30)]);
  const shown = (await branch.get()).body.diff;
  expect(shown.map(({ key, change, conflict }) => [key, change, conflict])).toEqual([
    ['b', 'MODIFIED', true],
    ['c', 'DELETED', true],
  ]);
  const { status, body } = await branch.publish();
  expect([status, body.code, body.conflicts]).toEqual([409, 'BRANCH_CONFLICTS', ['b', 'c']]);
  // A person settles it: the published definition, a publication, and the edit again.
  await branch.edit('b', { definition: set(21) });
  await branch.edit('c', { definition: set(30) });
  expect((await branch.publish()).status).toBe(200);
  await branch.edit('b', { definition: set(20) });
  expect((await branch.publish()).body.steps).toContainEqual(step('b', 20));
});

it('of a branch whose steps are all deleted leaves a workflow without steps', async () => {
  for (const key of ['a', 'b', 'c']) await branch.remove(key);
  expect((await branch.publish()).body).toEqual({ revision: 2, steps: [] });
  const refused = await execute<{ code: string }>(branch.owner, branch.workflowId);
  expect([refused.status, refused.body.code]).toEqual([409, 'WORKFLOW_HAS_NO_STEPS']);
});

it('is followed by a branch without differences when it is direct', async () => {
  await branch.edit('b', { definition: set(20) });
  await branch.publish();
  await branch.publishDirectly([step('a', 5)]);
  await waitFor('the branch to follow', async () => (await branch.get()).body.baseRevision === 3);
  const { steps, diff } = (await branch.get()).body;
  expect([steps.map(({ key, status }) => [key, status]), diff]).toEqual([[['a', 'UNCHANGED']], []]);
});
