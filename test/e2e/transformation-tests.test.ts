import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { waitFor } from '../helpers/wait.ts';
import { FLOW, TRANSFORMATION_TEST, unique } from './sample-world.ts';

interface Result {
  versionId: number | null;
  passed: boolean;
  difference: {
    error: { code: string } | null;
    paths: { path: string; expected: string | null; actual: string | null }[];
    more: boolean;
  } | null;
  at: string;
}
interface Test extends ProblemBody {
  id: number;
  name: string;
  lastResult: Result | null;
}

const { owner, workspace } = e2e();

const newFlow = () => workspace.flow(FLOW);
const save = (flowId: number, test: object = {}) =>
  owner.call<Test>('POST', `/flows/${flowId}/transformation-tests`, {
    body: { ...TRANSFORMATION_TEST, ...test },
  });
const list = async (flowId: number) =>
  (await owner.call<Test[]>('GET', `/flows/${flowId}/transformation-tests`)).body;
const run = (flowId: number) =>
  owner.call<{ versionId: number; passed: number; failed: number; results: Test[] }>(
    'POST',
    `/flows/${flowId}/transformation-tests/run`,
  );
async function store(flowId: number): Promise<number> {
  const { status, body } = await owner.call<{ versionId: number }>('PUT', '/flows', {
    body: { flowId, content: `${FLOW}# ${unique('version')}\n` },
  });
  expect(status).toBe(200);
  return body.versionId;
}
/** The tests of a flow once each has the result of the version. */
const testedWith = (flowId: number, versionId: number) =>
  waitFor('the results', async () => {
    const tests = await list(flowId);
    return tests.every(({ lastResult }) => lastResult?.versionId === versionId) ? tests : null;
  });
/** Ids of several processes are not in the order of creation. */
const byName = (tests: Test[]) => tests.toSorted((a, b) => a.name.localeCompare(b.name));

test('a test is saved, listed and deleted', async () => {
  const flowId = await newFlow();
  const { status, body } = await save(flowId, { name: ' Sum ', input: { b: 1, a: null } });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      flowId,
      name: 'Sum',
      expression: '$sum(a)',
      input: { b: 1, a: null },
      expected: 3,
      lastResult: null,
      createdBy: expect.objectContaining({ type: 'person', id: owner.id }),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ]);
  expect(await list(flowId)).toEqual([body]);
  const path = `/flows/transformation-tests/${body.id}`;
  const removed = await owner.call('DELETE', path);
  expect([removed.status, removed.text]).toEqual([204, '']);
  expect((await owner.call('DELETE', path)).status).toBe(404);
  expect(await list(flowId)).toEqual([]);
});

test.each([
  ['no name', { name: ' ' }, 'name'],
  ['no expression', { expression: '' }, 'expression'],
  ['no input', { input: undefined }, 'input'],
  ['no expected value', { expected: undefined }, 'expected'],
  ['a large input', { input: 'x'.repeat(65 * 1024) }, 'input'],
  ['a large expected value', { expected: 'x'.repeat(65 * 1024) }, 'expected'],
  ['an unknown field', { bindings: {} }, 'bindings'],
])('a test with %s is refused', async (_what, test, field) => {
  const { status, body } = await save(await newFlow(), test);
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, [field]]);
});

test('a run shows which tests pass, and the places that differ', async () => {
  const flowId = await newFlow();
  await save(flowId, { name: '1' });
  await save(flowId, {
    name: '2',
    expression: '{"total": $sum(a), "n": $count(a)}',
    expected: { total: 4, n: 2 },
  });
  await save(flowId, { name: '3', expression: '$sum(' });
  await save(flowId, { name: '4', expression: 'missing', expected: null });
  const { status, body } = await run(flowId);
  expect([status, body.passed, body.failed]).toEqual([200, 1, 3]);
  const differences = byName(body.results).map(({ lastResult }) => lastResult?.difference);
  expect(differences).toEqual([
    null,
    { error: null, paths: [{ path: '/total', expected: '4', actual: '3' }], more: false },
    {
      error: expect.objectContaining({ code: 'EXPRESSION_INVALID', line: 1 }),
      paths: [],
      more: false,
    },
    { error: null, paths: [{ path: '', expected: 'null', actual: null }], more: false },
  ]);
  const listed = await list(flowId);
  expect(listed.map(({ id, name, lastResult }) => ({ id, name, lastResult }))).toEqual(
    body.results,
  );
  expect(listed[0]?.lastResult?.versionId).toBe(body.versionId);
});

test('storing a version runs the tests, whatever becomes of them', async () => {
  const flowId = await newFlow();
  await save(flowId, { name: '1' });
  await save(flowId, { name: '2', expected: 4 });
  const expression = '( $f := function($x) { $f($x + 1) }; $f(0) )';
  await save(flowId, { name: '3', expression });
  for (let n = 0; n < 2; n++) {
    const tests = byName(await testedWith(flowId, await store(flowId)));
    expect(tests.map(({ lastResult }) => lastResult?.passed)).toEqual([true, false, false]);
    expect(tests[2]?.lastResult?.difference?.error?.code).toMatch(/TIMEOUT|MEMORY/);
  }
});

test('versions that are stored one after another leave the result of the newest', async () => {
  const flowId = await newFlow();
  for (let n = 0; n < 3; n++) await save(flowId);
  let versionId = 0;
  for (let n = 0; n < 8; n++) versionId = await store(flowId);
  await testedWith(flowId, versionId);
  await run(flowId);
  await testedWith(flowId, versionId);
});

test('a restore and a version without a change are no different', async () => {
  const flowId = await newFlow();
  const [first] = (await owner.call<{ id: number }[]>('GET', `/flows/${flowId}/versions`)).body;
  await store(flowId);
  await save(flowId);
  const path = `/flows/${flowId}/versions/${first?.id}/restore`;
  const { body } = await owner.call<{ versionId: number }>('POST', path);
  await testedWith(flowId, body.versionId);
});

test('a flow has a bounded number of tests, also of those that are saved at once', async () => {
  const flowId = await newFlow();
  const answers = await Promise.all(Array.from({ length: 55 }, () => save(flowId)));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array(5).fill([409, 'QUOTA_REACHED']),
  );
  const tests = await list(flowId);
  expect(tests).toHaveLength(50);
  await owner.call('DELETE', `/flows/transformation-tests/${tests[0]?.id}`);
  expect((await save(flowId)).status).toBe(201);
});

test('a repeated request with an Idempotency-Key saves one test', async () => {
  const flowId = await newFlow();
  const headers = { 'idempotency-key': unique('key') };
  const path = `/flows/${flowId}/transformation-tests`;
  const send = () => owner.call<Test>('POST', path, { body: TRANSFORMATION_TEST, headers });
  const [one, other] = [await send(), await send()];
  expect(other.body).toEqual(one.body);
  expect(await list(flowId)).toHaveLength(1);
});
