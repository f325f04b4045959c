/** Flow files through the real sandbox and the interpreter together. */
import { runFile } from './real-sandbox.ts';
import { TestHost } from './test-host.ts';

const ID = '7615917337495251231';

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

describe('a computed endpoint', () => {
  const urlOf = async (expression: string, input: object = {}) => {
    const host = Object.assign(new TestHost(), { input: JSON.stringify(input) });
    const text = `do: [{ c: { call: http, with: { method: delete, endpoint: ${JSON.stringify(`#{ ${expression} }`)} } } }]`;
    const outcome = await runFile(text, host);
    const [request] = host.requests;
    return request && 'url' in request.effect ? request.effect.url : outcome;
  };

  test.each([
    ['"https://a.test/users/" & $input.id', {}],
    ['"https://a.test/users/" & $input.id & "?force=1"', {}],
    ['"https://a.test/users/" & $input.id', { id: '' }],
    ['"https://a.test/users/" & $input.id', { id: null }],
    ['"https://a.test/users-" & $input.id', { id: null }],
    ['"https://a.test" & ("/users/" & $input.id)', {}],
    ['($base := "https://a.test/users/"; $base & $input.id)', {}],
  ])('without a value for a segment is not called: %s with %j', async (expression, input) => {
    expect(await urlOf(expression, input)).toMatchObject({
      kind: 'failed',
      error: { title: 'EXPRESSION_FAILED', instance: '/do/0/c' },
    });
  });

  test.each([
    ['"https://a.test/users/" & $input.id', { id: 7 }, 'https://a.test/users/7'],
    ['"https://a.test/users/"', {}, 'https://a.test/users/'],
    ['"https://a.test/users" & ($input.id ? "/" & $input.id)', {}, 'https://a.test/users'],
    ['"https://a.test/users?q=/" & $input.q', {}, 'https://a.test/users?q=/'],
    ['"https://a.test/" & $string($input.id)', { id: 0 }, 'https://a.test/0'],
  ])('has what stands in it: %s with %j', async (expression, input, url) => {
    expect(await urlOf(expression, input)).toBe(url);
  });

  test('is no matter of other expressions', async () => {
    const text = 'do: [{ a: { set: { t: "#{ \\"https://a.test/users/\\" & $input.id }" } } }]';
    expect(await runFile(text)).toMatchObject({ output: { t: 'https://a.test/users/' } });
  });
});

test.each([
  ['body: { id: "#{ $integer($.id) }", also: ["#{ $.id }"] }', `{"id":${ID},"also":["${ID}"]}`],
  ['body: "#{ $integer($.id) }"', ID],
  ['body: "#{ [{ \\"id\\": $integer($.id) }] }"', `[{"id":${ID}}]`],
  ['body: "id=#{ $integer($.id) } #{ { \\"id\\": $integer($.id) } }"', `id=${ID} {"id":${ID}}`],
  [
    'headers: { content-type: application/x-www-form-urlencoded }, body: { id: "#{ $integer($.id) }" }',
    `id=${ID}`,
  ],
])('an integer of $integer is sent with all its digits in %s', async (fields, sent) => {
  const host = Object.assign(new TestHost(), { input: `{"id":"${ID}"}` });
  await runFile(
    `do: [{ c: { call: http, with: { method: post, endpoint: "https://a.test/", ${fields} } } }]`,
    host,
  );
  expect(host.requests[0]?.effect).toMatchObject({ body: sent });
});
