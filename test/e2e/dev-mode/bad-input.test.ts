import { createWorkspace } from '../../helpers/people.ts';
import { BranchCalls, set, step } from './branch.ts';

let branch: BranchCalls;
beforeAll(async () => {
  branch = await BranchCalls.create([step('a', 1)]);
  await branch.edit('a', { definition: set(2) });
});

/** The status of an answer, its code, and the fields that it names. */
async function refusal(sent: ReturnType<BranchCalls['edit']>): Promise<unknown[]> {
  const { status, body } = await sent;
  return [status, body.code, body.errors?.map(({ path }) => path) ?? []];
}
const nested = (levels: number): object => {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { set: value };
  return value;
};

it.each([
  ['a key that is no task name', '1a', {}, 'key'],
  ['a key of 65 characters', 'k'.repeat(65), {}, 'key'],
  ['a directive of the language as the key', 'exit', {}, 'key'],
  ['no definition', 'a', { definition: undefined }, 'definition'],
  ['a list for the definition', 'a', { definition: [] }, 'definition'],
  ['null for the definition', 'a', { definition: null }, 'definition'],
  ['a position below 0', 'a', { position: -1 }, 'position'],
  ['a position that is no integer', 'a', { position: 0.5 }, 'position'],
  ['a position behind the last', 'a', { position: 1 }, 'position'],
  ['a position behind the end for a new step', 'new', { position: 2 }, 'position'],
  ['a revision below 0', 'a', { expectedRevision: -1 }, 'expectedRevision'],
  ['a field that there is not', 'a', { retries: 3 }, 'retries'],
])('%s is a 400 that names it', async (_what, key, change, field) => {
  expect(await refusal(branch.edit(key, { definition: set(3), ...change }))).toEqual([
    400,
    'INVALID_REQUEST',
    [field],
  ]);
});

it('takes a definition of 96 levels, and refuses one of 97', async () => {
  expect((await branch.edit('deep', { definition: nested(96) })).status).toBe(200);
  expect((await branch.edit('deep', { definition: nested(97) })).status).toBe(400);
  await branch.remove('deep');
});

it('refuses definitions that take more than 256 KiB together', async () => {
  const large = () => ({ definition: set('x'.repeat(100 * 1024)) });
  for (const key of ['l1', 'l2']) expect((await branch.edit(key, large())).status).toBe(200);
  expect(await refusal(branch.edit('l3', large()))).toEqual([
    400,
    'INVALID_REQUEST',
    ['definition'],
  ]);
  expect((await branch.getStep('l3')).status).toBe(404);
  const alone = { definition: set('x'.repeat(300 * 1024)) };
  expect(await refusal(branch.edit('l1', alone))).toEqual([400, 'INVALID_REQUEST', ['definition']]);
  for (const key of ['l1', 'l2']) await branch.remove(key);
});

it('refuses the 501st step', async () => {
  const many = await BranchCalls.create(Array.from({ length: 500 }, (_, n) => step(`k${n}`, n)));
  expect(await refusal(many.edit('more', { definition: set(1) }))).toEqual([
    400,
    'INVALID_REQUEST',
    ['definition'],
  ]);
  expect((await many.edit('k0', { definition: set('changed') })).status).toBe(200);
  const steps = Array.from({ length: 501 }, (_, n) => step(`k${n}`, n));
  const direct = await many.publishDirectly(steps);
  expect([direct.status, direct.body.errors?.map(({ path }) => path)]).toEqual([400, ['steps']]);
});

it('needs the workspace of the workflow', async () => {
  const other = await createWorkspace(branch.owner);
  const at = `/dev-mode/branches/${branch.workflowId}`;
  for (const path of ['', '/history', '/steps/a']) {
    const elsewhere = { query: { workspaceId: other } };
    expect((await branch.owner.call('GET', `${at}${path}`, elsewhere)).status).toBe(404);
    expect((await branch.owner.call('GET', `${at}${path}`)).status).toBe(400);
  }
});

it('refuses a stale revision with the present one, and changes nothing', async () => {
  const { revision } = (await branch.getStep('a')).body;
  const { status, body } = await branch.edit('a', { definition: set(9), expectedRevision: 7 });
  expect([status, body.code, body.currentRevision]).toEqual([409, 'STALE_REVISION', revision]);
  const unknown = await branch.edit('fresh', { definition: set(9), expectedRevision: 1 });
  expect([unknown.status, unknown.body.currentRevision]).toEqual([409, 0]);
});

it('refuses a stale If-Match with 412, before the state of the branch counts', async () => {
  const headers = { 'if-match': '"stale"' };
  const change = { definition: set(9), expectedRevision: 7 };
  expect((await branch.edit('a', change, { headers })).status).toBe(412);
  expect((await branch.edit('fresh', { definition: set(9) }, { headers })).status).toBe(412);
  const any = { headers: { 'if-match': '*' } };
  expect((await branch.edit('fresh', { definition: set(9) }, any)).status).toBe(412);
  expect((await branch.remove('a', { headers })).status).toBe(412);
  expect((await branch.discard({ headers })).status).toBe(412);
  const { etag = '' } = (await branch.getStep('a')).headers;
  const fresh = await branch.edit('a', { definition: set(10) }, { headers: { 'if-match': etag } });
  expect(fresh.status).toBe(200);
});
