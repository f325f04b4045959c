import { CHILD_HEAP_MB } from '../../sandbox/limits.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { scope, whole } from './request.ts';

const sandbox = createSandbox({ maxChildren: 3 });
afterAll(() => sandbox.close());

/** So much smaller is the child's heap in a test than in use: the memory that a job needs differs by the moment of collections. */
const SPARE_MB = 12;

const evaluate = (source: string, input = {}) =>
  sandbox.evaluate({ template: whole(source), ...scope({ input }) });

// What ends first, time or memory, is up to the machine where an expression uses much of both.
const EITHER = /^EXPRESSION_(TIMEOUT|OUT_OF_MEMORY)$/;
const BOMBS: [string, string, RegExp][] = [
  ['loops for ever', '($f := function($x){ $f($x + 1) }; $f(1))', /^EXPRESSION_TIMEOUT$/],
  ['backtracks', '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)', /^EXPRESSION_TIMEOUT$/],
  ['pads', '$length($pad("", 500000000))', EITHER],
  [
    'fills the native stack',
    '$length($formatInteger(900000000, "I"))',
    /^EXPRESSION_OUT_OF_MEMORY$/,
  ],
  ['fills the memory', '$map([1..20], function($i){ {"list": [1..999999]} })', EITHER],
];

test.each(BOMBS)('what %s ends alone, others are answered meanwhile', async (_, source, code) => {
  const bomb = evaluate(source).then(
    () => 'no error',
    (error) => error.code,
  );
  const others = Array.from({ length: 50 }, (_, n) => evaluate('n + 1', { n }));
  expect(await Promise.all(others)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  expect(await bomb).toMatch(code);
  expect(await evaluate('1')).toBe(1);
});

test('more bombs than children leave room for the next', async () => {
  const bombs = Array.from({ length: 6 }, () => evaluate(BOMBS[0]?.[1] ?? ''));
  const results = await Promise.allSettled([...bombs, evaluate('2')]);
  expect(results.map(({ status }) => status)).toEqual([...Array(6).fill('rejected'), 'fulfilled']);
});

test('each expression of a template has its own time', async () => {
  const work = '$count([1..20000].$string())'; // a fifth of it, where the machine is idle
  const template = { kind: 'list' as const, items: Array.from({ length: 12 }, () => whole(work)) };
  expect(await sandbox.evaluate({ template, ...scope() })).toEqual(Array(12).fill(20000));
});

test('but a template as a whole is bounded', async () => {
  const work = '$count([1..60000].$string())';
  const template = { kind: 'list' as const, items: Array.from({ length: 100 }, () => whole(work)) };
  await expect(sandbox.evaluate({ template, ...scope() })).rejects.toMatchObject({
    code: 'EXPRESSION_TIMEOUT',
  });
});

test('nothing that one expression does is left for the next', async () => {
  await evaluate(
    '($x := 1; $sum := 2; {"__proto__": {"polluted": true}} ~> |$|{"__proto__": {"polluted": 1}}|)',
  );
  expect(await evaluate('[$exists($x), $sum([1, 2]), $exists(polluted)]')).toEqual([
    false,
    3,
    false,
  ]);
});

test('what one tenant makes a child remember takes no memory from another', async () => {
  const one = createSandbox({ maxChildren: 1, memoryMb: CHILD_HEAP_MB - SPARE_MB });
  const long = 'x'.repeat(100_000);
  for (let n = 0; n < 600; n++) {
    const template = whole(`$length("${n} ${long}") > 0`);
    expect(await one.evaluate({ template, ...scope({ tenant: `workspace:${n % 3}` }) })).toBe(true);
  }
  const template = whole('$count([1..900000])');
  expect(await one.evaluate({ template, ...scope({ tenant: 'workspace:9' }) })).toBe(900_000);
  one.close();
});
