import { interpret } from '../../interpreter/interpret.ts';
import { output, plan, TestHost, toEnd } from './test-host.ts';

const MIB = 1024 * 1024;
const CALL = 'call: http, with: { method: get, endpoint: "https://a.test/x" }';
/** Little JSON, and parsed twenty times as much. */
const dense = () => Array.from({ length: 174_000 }, () => ({}));

test('outputs are kept as text, and are the same values', async () => {
  const host = new TestHost(() => ({ value: dense() }));
  const calls = Array.from({ length: 15 }, (_, n) => `{ c${n}: { ${CALL} } }`).join(', ');
  const text = `do: [${calls}, { s: { set: { n: "#{ $count($steps.c3) }", last: "#{ $steps.c14[0] }" } } }]`;
  expect(await output(text, host)).toEqual({ n: 174_000, last: {} });
  expect(host.heaviest).toBeGreaterThan(15 * MIB);
  expect(host.heaviest).toBeLessThan(60 * MIB);
});

test('what is held at once is bounded, however it was made', async () => {
  const nested = (depth: number): string =>
    depth === 0
      ? '[]'
      : `[{ d${depth}: { input: { from: "#{ [$steps.c, $steps.c, ${depth}] }" }, do: ${nested(depth - 1)} } }]`;
  const host = new TestHost(() => ({ value: dense() }));
  const text = `do: [{ c: { ${CALL} } }, { d: { do: ${nested(6)} } }]`;
  expect(await toEnd(plan(text), host)).toMatchObject({ error: { title: 'RUN_TOO_LARGE' } });
});

test('an input that becomes the output counts as one', async () => {
  const text = `do: [{ c: { ${CALL} } }, { d: { input: { from: "#{ $steps.c & $steps.c }" }, do: [] } }]`;
  const host = new TestHost(() => ({ value: 'x'.repeat(300_000) }));
  expect(await toEnd(plan(text), host)).toMatchObject({ error: { title: 'OUTPUT_TOO_LARGE' } });
});

const loop = (tasks: string) =>
  `f: { for: { in: "#{ [1..500] }" }, do: [${tasks}, { b: { set: { n: 1 } } }] }`;
const failing = 'r: { raise: { error: { type: "https://a.test/e", status: 500, title: T } } }';

test.each([
  [
    'a loop beside a retry',
    `do: [{ ${loop('{ a: { do: [] } }')} }, { t: { try: [{ x: { set: { n: 1 } } }], catch: { retry: {} } } }]`,
    0,
  ],
  [
    'a retry in a loop',
    `do: [{ ${loop('{ t: { try: [{ x: { set: { n: 1 } } }], catch: { retry: {} } } }')} }]`,
    500,
  ],
  [
    'a loop that is retried',
    `do: [{ t: { try: [{ ${loop('{ a: { do: [] } }')} }, { ${failing} }], catch: { retry: { limit: { attempt: { count: 1 } } }, do: [] } } }]`,
    1_000,
  ],
])('%s counts for what is remembered of it', async (_, text, remembered) => {
  const host = new TestHost();
  await toEnd(plan(text), host);
  expect(host.heaviest).toBeGreaterThanOrEqual(remembered * 64);
  expect(host.heaviest).toBeLessThan(remembered * 400 + 20_000);
});

test('a host without room for it ends the interpretation, and no try catches that', async () => {
  const host = new TestHost();
  host.hold = () => {
    throw new Error('no room');
  };
  const flow = plan('do: [{ t: { try: [{ a: { set: { n: 1 } } }], catch: {} } }]');
  await expect(interpret(flow, host)).rejects.toThrow('no room');
});
