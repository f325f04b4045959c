/** Flow files through the real sandbox and the interpreter together. */
import { createSandbox, interpret } from '../../index.ts';
import { TestHost } from './test-host.ts';

const sandbox = createSandbox();
const tenant = 'workspace:1';
afterAll(() => sandbox.close());

async function run(text: string, host = new TestHost()) {
  const { plan, faults } = await sandbox.compile(text.replaceAll('#{', '$' + '{'), { tenant });
  if (plan === null) throw new Error(JSON.stringify(faults));
  host.evaluator = {
    evaluate: (request) => sandbox.evaluate({ ...request, tenant }),
    test: (request) => sandbox.test({ ...request, tenant }),
  };
  return interpret(plan, host);
}

test('10 000 rounds with an expression each come to their end', async () => {
  const text =
    'do: [{ f: { for: { in: "#{ [1..10000] }" }, do: [{ a: { set: { n: "#{ $item }" } } }] } }]';
  expect(await run(text)).toEqual({ kind: 'succeeded', output: { n: 10_000 } });
});

test('a bomb is an error of the flow that can be caught', async () => {
  const text = `do: [{ t: { try: [{ a: { set: { n: '#{ ($f := function($x){ $f($x + 1) }; $f(1)) }' } } }], catch: { do: [{ h: { set: { e: '#{ $error.title }', s: '#{ $error.status }' } } }] } } }]`;
  expect(await run(text)).toEqual({
    kind: 'succeeded',
    output: { e: 'EXPRESSION_TIMEOUT', s: 400 },
  });
});

test('chance and time follow the run', async () => {
  const text =
    'do: [{ a: { set: { r: "#{ [$random(), $shuffle([1..9])] }", t: "#{ $now() }" } } }, { b: { set: { a: "#{ $steps.a }", r: "#{ $random() }" } } }]';
  const outcome = await run(text);
  expect(await run(text)).toEqual(outcome);
  expect(outcome).toMatchObject({ output: { a: { t: '2026-01-01T00:00:00.000Z' } } });
  expect(await run(text, Object.assign(new TestHost(), { seed: '8' }))).not.toEqual(outcome);
});
