import { BranchCalls, set, step } from './branch.ts';

let branch: BranchCalls;
beforeEach(async () => {
  branch = await BranchCalls.create([step('a', 1), step('b', 2), step('c', 3)]);
});

const order = async () => (await branch.get()).body.steps.map(({ key }) => key);

it('are the published ones while there is no branch', async () => {
  const { status, body } = await branch.getStep('b');
  const { workflowId } = branch;
  const shown = { workflowId, key: 'b', position: 1, definition: set(2), status: 'UNCHANGED' };
  expect([status, body]).toEqual([
    200,
    { ...shown, revision: 0, updatedBy: null, updatedAt: null },
  ]);
  expect((await branch.getStep('z')).status).toBe(404);
  expect((await branch.get()).status).toBe(404);
  expect((await branch.history()).status).toBe(404);
});

it('are edited with who and when, and the answer counts the edits', async () => {
  const first = await branch.edit('b', { definition: set(20) });
  expect([first.status, first.body.problems]).toEqual([200, []]);
  const { id, type } = first.body.step.updatedBy ?? {};
  expect([id, type]).toEqual([branch.owner.id, 'person']);
  expect(first.body.step).toMatchObject({ status: 'MODIFIED', revision: 1, position: 1 });
  expect(first.body.snapshot).toMatchObject({ id: 1, stepCount: 3 });
  expect(first.headers.etag).toBe((await branch.getStep('b')).headers.etag);
  const second = await branch.edit('d', { definition: set(4) });
  expect(second.body.step).toMatchObject({ status: 'ADDED', revision: 2, position: 3 });
  expect(second.body.snapshot).toMatchObject({ id: 2, stepCount: 4 });
});

it('that are equal again have an equal hash', async () => {
  const { hash } = (await branch.edit('b', { definition: set(20) })).body.snapshot;
  expect((await branch.edit('b', { definition: set(2) })).body.snapshot.hash).not.toBe(hash);
  const again = await branch.edit('b', { definition: set(20) });
  expect(again.body.snapshot).toMatchObject({ id: 3, hash });
});

it('keep the order of keys, keys with a dollar, and any depth of a definition', async () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 90; level++) deep = [deep];
  const definition = { set: { z: 1, a: { $ne: 1, 'x.y': null }, deep } };
  await branch.edit('b', { definition });
  expect(JSON.stringify((await branch.getStep('b')).body.definition)).toBe(
    JSON.stringify(definition),
  );
});

it('change nothing when they are sent back as GET shows them', async () => {
  await branch.edit('b', { definition: set(20) });
  const shown = (await branch.getStep('b')).body;
  const again = await branch.edit('b', shown);
  expect([again.status, again.body.step]).toEqual([200, shown]);
  expect((await branch.history()).body).toHaveLength(1);
});

it('make no branch when an edit changes nothing', async () => {
  const { status, body } = await branch.edit('b', { definition: set(2) });
  expect([status, body.snapshot.id, body.step.revision]).toEqual([200, 0, 0]);
  expect((await branch.get()).status).toBe(404);
});

it.each([
  ['an existing step to the front', 'c', 0, ['c', 'a', 'b']],
  ['an existing step to the end', 'a', 2, ['b', 'c', 'a']],
  ['a new step in between', 'n', 1, ['a', 'n', 'b', 'c']],
  ['a new step at the end', 'n', 3, ['a', 'b', 'c', 'n']],
])('put %s shift those behind it', async (_what, key, position, expected) => {
  const { body } = await branch.edit(key, { definition: set(9), position });
  expect([body.step.position, await order()]).toEqual([position, expected]);
});

it('that are moved only are MODIFIED, and the diff says MOVED', async () => {
  const { body } = await branch.edit('c', { definition: set(3), position: 0 });
  expect(body.step).toMatchObject({ status: 'MODIFIED', revision: 1 });
  const { diff } = (await branch.get()).body;
  expect(diff).toEqual([{ key: 'c', change: 'MOVED', published: set(3), conflict: false }]);
});

it('that are deleted stay as DELETED, and a new one that is deleted is gone', async () => {
  await branch.edit('n', { definition: set(9) });
  const removed = await branch.remove('b');
  expect(removed.status).toBe(200);
  const { workspaceId, workflowId } = branch;
  expect(removed.body).toMatchObject({
    workspaceId,
    workflowId,
    snapshot: { id: 2, stepCount: 3 },
  });
  expect(removed.body.steps.map(({ key, status }) => [key, status])).toEqual([
    ['a', 'UNCHANGED'],
    ['b', 'DELETED'],
    ['c', 'UNCHANGED'],
    ['n', 'ADDED'],
  ]);
  const deleted = await branch.getStep('b');
  expect(deleted.body).toMatchObject({ status: 'DELETED', definition: set(2), position: 1 });
  await branch.remove('n');
  expect((await branch.getStep('n')).status).toBe(404);
  expect((await branch.remove('n')).status).toBe(404);
  const restored = await branch.edit('b', { definition: set(2) });
  expect(restored.body.step).toMatchObject({ status: 'UNCHANGED', position: 1, revision: 4 });
  const kinds = (await branch.history()).body.map(({ key, kind }) => [key, kind]);
  expect(kinds).toEqual([
    ['n', 'ADDED'],
    ['b', 'DELETED'],
    ['n', 'DELETED'],
    ['b', 'RESTORED'],
  ]);
});

it('may be invalid: their problems are named with key and place', async () => {
  const call = {
    call: 'http',
    with: { method: 'get', endpoint: 'https://x.example', hedders: {} },
  };
  const { status, body } = await branch.edit('b', { definition: call });
  expect([status, body.problems]).toEqual([
    200,
    [expect.objectContaining({ key: 'b', path: '/with/hedders', code: 'UNKNOWN_KEY' })],
  ]);
  const jump = JSON.parse('{"switch":[{"no":{"then":"nowhere"}}]}') as object;
  await branch.edit('c', { definition: jump });
  const { problems } = (await branch.get()).body;
  expect(problems.map(({ key, path }) => [key, path])).toEqual([
    ['b', '/with/hedders'],
    ['c', '/switch/0/no/then'],
  ]);
});

it('list 100 problems, and then how many more there are', async () => {
  const set = Object.fromEntries(
    Array.from({ length: 150 }, (_, n) => [`x${n}`, `\${ $steps.nobody${n} }`]),
  );
  const { problems } = (await branch.edit('b', { definition: { set } })).body;
  expect(problems).toHaveLength(101);
  expect(problems[99]).toMatchObject({ key: 'b', path: '/set/x99' });
  expect(problems[100]).toMatchObject({ key: null, code: 'TOO_MANY_FAULTS' });
  expect(problems[100]?.message).toContain('50 more');
});

it('have a history in pages, from the first edit on', async () => {
  for (let n = 1; n <= 5; n++) await branch.edit('a', { definition: set(n * 10) });
  const first = await branch.history({ limit: 2 });
  expect(first.body.map(({ snapshot }) => snapshot.id)).toEqual([1, 2]);
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
  const second = await branch.owner.call<{ snapshot: { id: number } }[]>('GET', next);
  expect(second.body.map(({ snapshot }) => snapshot.id)).toEqual([3, 4]);
});
