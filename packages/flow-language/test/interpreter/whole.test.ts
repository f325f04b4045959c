/** Flow files through the real sandbox and the interpreter together. */
import { runFile } from './real-sandbox.ts';
import { TestHost } from './test-host.ts';

test('a bomb is an error of the flow that can be caught', async () => {
  const text = `do: [{ t: { try: [{ a: { set: { n: '#{ ($f := function($x){ $f($x + 1) }; $f(1)) }' } } }], catch: { do: [{ h: { set: { e: '#{ $error.title }', s: '#{ $error.status }' } } }] } } }]`;
  expect(await runFile(text)).toEqual({
    kind: 'succeeded',
    output: { e: 'EXPRESSION_TIMEOUT', s: 400 },
  });
});

test('chance and time follow the run', async () => {
  const text =
    'do: [{ a: { set: { r: "#{ [$random(), $shuffle([1..9])] }", t: "#{ $now() }" } } }, { b: { set: { a: "#{ $steps.a }", r: "#{ $random() }" } } }]';
  const outcome = await runFile(text);
  expect(await runFile(text)).toEqual(outcome);
  expect(outcome).toMatchObject({ output: { a: { t: '2026-01-01T00:00:00.000Z' } } });
  expect(await runFile(text, Object.assign(new TestHost(), { seed: '8' }))).not.toEqual(outcome);
});
