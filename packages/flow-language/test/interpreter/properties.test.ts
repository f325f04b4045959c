/** `$properties` through the real sandbox and the interpreter together. */
import { runFile } from './real-sandbox.ts';
import { TestHost } from './test-host.ts';

/** Runs a file with the properties of a configuration store, as JSON text because a key may be `__proto__`. */
const runWith = (properties: string, text: string) =>
  runFile(text, Object.assign(new TestHost(), { properties }));

const setting = (expression: string): string =>
  `do: [{ t: { set: { v: ${JSON.stringify(`#{ ${expression} }`)} } } }]`;

const STORE = '{"region":"berlin","a":"1","a.b":"2","empty":"","json":"{\\"n\\":7}"}';

describe('a property', () => {
  test.each([
    ['$properties.region', 'berlin'],
    ['$uppercase($properties.region)', 'BERLIN'],
    ['{ "in": [{ "region": $properties.region }] }', { in: [{ region: 'berlin' }] }],
    ['[1..2].{ "region": $properties.region & $ }', [{ region: 'berlin1' }, { region: 'berlin2' }]],
    ['$map([1..2], function($n){ $properties.region & $n })', ['berlin1', 'berlin2']],
    ['($f := function(){ $properties.region }; $f())', 'berlin'],
    ['$properties.empty', ''],
    ['$properties.json', '{"n":7}'],
    ['$properties.`a.b`', '2'],
    ['$lookup($properties, "a.b")', '2'],
    ['$lookup($properties, "re" & "gion")', 'berlin'],
    ['$keys($properties)', ['region', 'a', 'a.b', 'empty', 'json']],
  ])('is read by %s', async (expression, v) => {
    expect(await runWith(STORE, setting(expression))).toEqual({ kind: 'succeeded', output: { v } });
  });

  test.each([
    '$properties.unknown',
    '$properties.region.length',
    '$properties.a.b', // the key `a.b` is no path
    '$properties.__proto__',
    '$properties.constructor',
    '$properties.toString',
    '$properties.hasOwnProperty',
    '$lookup($properties, "__proto__")',
  ])('that the store lacks is undefined: %s', async (expression) => {
    const exists = setting(`$exists(${expression})`);
    for (const properties of [STORE, '{}']) {
      expect(await runWith(properties, exists)).toEqual({
        kind: 'succeeded',
        output: { v: false },
      });
      expect(await runWith(properties, setting(expression))).toEqual({
        kind: 'succeeded',
        output: {},
      });
    }
  });

  test.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'toJSON',
    'length',
    'sequence',
    '_jsonata_lambda',
    '_jsonata_function',
    'a.b',
    'a b',
    '$',
    '*',
    '%',
    '"',
    '0',
    'größe 大 😀',
  ])('may have the key %j', async (key) => {
    const properties = `{${JSON.stringify(key)}:"mine","other":"o"}`;
    const expressions = [`$properties.${'`'}${key}${'`'}`, `$lookup($properties, "other")`];
    for (const [n, v] of ['mine', 'o'].entries()) {
      const outcome = await runWith(properties, setting(expressions[n] ?? ''));
      expect(outcome).toEqual({ kind: 'succeeded', output: { v } });
    }
    const keys = await runWith(properties, setting('$count($keys($properties))'));
    expect(keys).toEqual({ kind: 'succeeded', output: { v: 2 } });
  });
});

test('properties are read in nested tasks, conditions, loops and handlers of errors', async () => {
  const text = `
do:
  - outer:
      for: { in: '#{ [1, 2] }' }
      do:
        - inner:
            if: '#{ $properties.region = "berlin" }'
            do:
              - attempt:
                  try:
                    - fail: { raise: { error: { type: 'https://a.test/e', status: 418, title: '#{ $properties.region }' } } }
                  catch:
                    do:
                      - note: { set: { caught: '#{ $error.title & $properties.a & $item }' } }
  - last: { set: { steps: '#{ $steps.outer.caught }', text: 'in #{ $properties.region }' } }
`;
  expect(await runWith(STORE, text)).toEqual({
    kind: 'succeeded',
    output: { steps: 'berlin12', text: 'in berlin' },
  });
});

test('one task cannot change the properties of the next', async () => {
  const write =
    '($properties := $properties ~> |$|{"region": "PWNED"}, ["a"]|; $properties.region)';
  const text = `do: [{ a: { set: { v: ${JSON.stringify(`#{ ${write} }`)} } } }, { b: { set: { region: "#{ $properties.region }", a: "#{ $properties.a }", before: "#{ $steps.a.v }" } } }]`;
  expect(await runWith(STORE, text)).toEqual({
    kind: 'succeeded',
    output: { region: 'berlin', a: '1', before: 'PWNED' },
  });
});
