import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { registerVerified } from '../helpers/people.ts';

interface Transformed extends ProblemBody {
  output?: unknown;
  durationMs?: number;
  error?: {
    code: string;
    message: string;
    position: number | null;
    line: number | null;
    column: number | null;
  };
}

const { server, owner: ada } = e2e();

const send = (body: object, by = ada) =>
  by.call<Transformed>('POST', '/data-transformations/test', { body });
const evaluate = async (expression: string, input: unknown = null, bindings?: object) =>
  (await send({ expression, input, ...(bindings ? { bindings } : {}) })).body;

it('answers the value of an expression, bare or in one enclosing pair of braces', async () => {
  const input = { orders: [{ total: 3 }, { total: 4 }] };
  for (const expression of [
    '$sum(orders.total)',
    `\${ $sum(orders.total) }`,
    `  \${$sum(orders.total)}\n`,
  ]) {
    const { status, body } = await send({ expression, input });
    expect([status, body]).toEqual([200, { output: 7, durationMs: expect.any(Number) }]);
  }
});

it('has the input as $ and $input, and bindings as variables', async () => {
  const bindings = { item: { n: 1 }, steps: { first: 2 }, error: { title: 'x' } };
  const expression = '[$.a, $input.a, $item.n, $steps.first, $error.title]';
  expect((await evaluate(expression, { a: 0 }, bindings)).output).toEqual([0, 0, 1, 2, 'x']);
  expect((await evaluate('$input', 1, { input: 2 })).output).toBe(2);
});

it('answers no output where the expression has no value, and null for null', async () => {
  expect(await evaluate('missing', {})).toEqual({ durationMs: expect.any(Number) });
  expect(await evaluate('null', {})).toMatchObject({ output: null });
});

it.each([
  ['$sum(', 'EXPRESSION_INVALID', 5, 1, 6],
  [`\${ 1 +\n  nosuch( }`, 'EXPRESSION_INVALID', null, 2, null],
  ['$nosuch', 'UNKNOWN_VARIABLE', 0, 1, 1],
  ['1 +\n $nosuch', 'UNKNOWN_VARIABLE', 5, 2, 2],
  [`\${ $error("not today") }`, 'EXPRESSION_FAILED', null, 1, null],
  ['"a" +\n 1', 'EXPRESSION_FAILED', null, null, null],
])('shows the error of %j with its place', async (expression, code, position, line, column) => {
  const { error } = await evaluate(expression);
  expect(error).toMatchObject({ code, message: expect.stringMatching(/.{5,}/) });
  if (position !== null) expect(error?.position).toBe(position);
  if (line !== null) expect(error?.line).toBe(line);
  if (column !== null) expect(error?.column).toBe(column);
});

it.each([
  ['( $f := function($x) { $f($x + 1) }; $f(0) )', /TIMEOUT|MEMORY/],
  ['$map([1..999999], function($x) { $x ~> $string }) ~> $join ~> $length', /TIMEOUT|MEMORY/],
  ['$string([1..200000])', /TOO_LARGE/],
])('ends the bomb %s with an error', async (expression, code) => {
  const { error } = await evaluate(expression);
  expect(error?.code).toMatch(code);
});

it.each([
  [{ input: 1 }, 'expression'],
  [{ expression: '1' }, 'input'],
  [{ expression: '', input: 1 }, 'expression'],
  [{ expression: 1, input: 1 }, 'expression'],
  [{ expression: 'x'.repeat(20_000), input: 1 }, 'expression'],
  [{ expression: '1', input: 1, bindings: { 'a-b': 1 } }, 'bindings.a-b'],
  [{ expression: '1', input: 1, bindings: { sum: 1 } }, 'bindings.sum'],
  [{ expression: '1', input: 1, bindings: [] }, 'bindings'],
  [{ expression: '1', input: 1, version: 1 }, 'version'],
])('refuses %j', async (request, field) => {
  const { status, body } = await send(request);
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, [field]]);
});

it('takes its turn beside the bombs of another owner', async () => {
  const grace = await registerVerified(server.url, 'Grace');
  const bomb = { expression: '( $f := function($x) { $f($x + 1) }; $f(0) )', input: null };
  let ended = 0;
  const bombs = Array.from({ length: 6 }, () => send(bomb).finally(() => ended++));
  for (let n = 0; n < 2; n++) {
    const { status, body } = await send({ expression: '1 + 1', input: null }, grace);
    expect([status, body.output]).toEqual([200, 2]);
  }
  expect(ended).toBeLessThan(bombs.length);
  for (const { status } of await Promise.all(bombs)) expect([200, 429]).toContain(status);
});
