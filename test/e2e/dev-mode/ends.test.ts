import { BranchCalls, set, step } from './branch.ts';

let branch: BranchCalls;
beforeEach(async () => {
  branch = await BranchCalls.create([step('a', 1), step('b', 2)]);
  await branch.edit('b', { definition: set(20) });
});

it('a discarded branch is gone with its history, and the next edit makes a new one', async () => {
  expect((await branch.discard()).status).toBe(204);
  expect((await branch.get()).status).toBe(404);
  expect((await branch.discard()).status).toBe(404);
  expect((await branch.getStep('b')).body).toMatchObject({ status: 'UNCHANGED', revision: 0 });
  const { body } = await branch.edit('a', { definition: set(10) });
  expect(body.snapshot.id).toBe(1);
  const edits = (await branch.history()).body;
  expect(edits.map(({ key, snapshot }) => [key, snapshot.id])).toEqual([['a', 1]]);
});

it('a branch goes with its workflow, and an edit afterwards is 404', async () => {
  const path = `/workflow/${branch.workflowId}`;
  expect((await branch.owner.call('DELETE', path)).status).toBe(200);
  expect((await branch.edit('b', { definition: set(30) })).status).toBe(404);
  expect((await branch.getStep('b')).status).toBe(404);
  expect((await branch.publish()).status).toBe(404);
});

it('edits that meet the deletion of their workflow leave no branch', async () => {
  const fresh = await BranchCalls.create([step('a', 1)]);
  const edits = Array.from({ length: 10 }, (_, n) => fresh.edit('a', { definition: set(n) }));
  const removed = fresh.owner.call('DELETE', `/workflow/${fresh.workflowId}`);
  const statuses = new Set((await Promise.all([...edits, removed])).map(({ status }) => status));
  expect([...statuses].every((status) => status === 200 || status === 404)).toBe(true);
  expect((await fresh.get()).status).toBe(404);
});
