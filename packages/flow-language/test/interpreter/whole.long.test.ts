import { runFile } from './real-sandbox.ts';

test('10 000 rounds with an expression each come to their end', async () => {
  const text =
    'do: [{ f: { for: { in: "#{ [1..10000] }" }, do: [{ a: { set: { n: "#{ $item }" } } }] } }]';
  expect(await runFile(text)).toEqual({ kind: 'succeeded', output: { n: 10_000 } });
});
