import { compile } from '../../language/compile.ts';
import type { Json } from '../../plan.ts';
import { validate } from '../../sandbox/child/validate.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { ATTACKS } from './attacks.ts';

/** One child: what a file leaves is met by whoever comes next. */
const sandbox = createSandbox({ maxChildren: 1, keptForQuick: 0 });
afterAll(() => sandbox.close());

const GOOD = {
  file: `
input: { schema: { document: { type: object, properties: { n: { type: integer } } } } }
do:
  - a: { set: { n: '\${ $sum([1, $input.n]) }', text: 'n is \${ $.n }' } }
  - b: { call: http, with: { method: post, endpoint: 'https://example.com/{id}', body: { n: '\${ $.n }' } } }
`,
  broken: `do: [{ a: { set: { n: "\${ $nobody }" } } }, { a: { jump: 1 } }]`,
  schema: {
    $id: 'https://example.com/s',
    $defs: { word: { pattern: '^[a-z]+$', $anchor: 'word' } },
    properties: { a: { $ref: '#word' }, day: { format: 'date' } },
  },
};

async function results(): Promise<string> {
  const context = { tenant: 'person:2' };
  return JSON.stringify([
    await sandbox.compile(GOOD.file, context),
    await sandbox.compile(GOOD.broken, context),
    await sandbox.validateInput(GOOD.schema, { a: 'word', day: '2026-01-02' }, context),
    await sandbox.validateInput(GOOD.schema, { a: 'W', day: 'x' }, context),
  ]);
}

const KEYS = ['constructor', 'prototype', '__proto__', 'toString', 'hasOwnProperty', 'then'];

const HOSTILE_FILES = [
  ...KEYS.map((key) => `do: [{ ${key}: { set: { ${key}: { ${key}: 1 } } } }]`),
  ...KEYS.map((key) => `{ ${key}: { polluted: true }, do: [{ a: { ${key}: 1 } }] }`),
  '&a [*a]',
  'a: &x { <<: { polluted: 1 } }\nb: { <<: *x }',
  '!!js/function "function () { return 1 }"',
  '!!map {constructor: {prototype: {polluted: 1}}}',
  '%TAG ! tag:example.com,2026:\n---\n! a',
  '%YAML 1.1\n---\ndo: []',
  `do: [{ a: { set: { x: "${'\\u0041'.repeat(500)}" } } }]`,
  ...ATTACKS.map((source) => JSON.stringify({ do: [{ a: { set: { x: `\${ ${source} }` } } }] })),
];

const HOSTILE_SCHEMAS: Json[] = [
  ...KEYS.map((key) => JSON.parse(`{"properties": {"${key}": false}, "${key}": {"type": "null"}}`)),
  ...KEYS.map((key) => JSON.parse(`{"$defs": {"${key}": false}, "$ref": "#/$defs/${key}"}`)),
  { $id: 'https://example.com/s', $anchor: 'word', not: {} },
  { $id: 'https://example.com/s', $defs: { word: { $anchor: 'word', const: 1 } } },
  { $id: 'https://json-schema.org/draft/2020-12/schema', not: {} },
  { $schema: 'https://example.com/s', pattern: 'a', $dynamicAnchor: 'word' },
  { pattern: '(?<word>a)\\k<word>', format: 'regex' },
  { format: 'constructor' },
];

/** As it comes over the border of a process. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value));

test('in a child, where the language itself is frozen, files and schemas mean what they mean', async () => {
  for (const text of HOSTILE_FILES) {
    expect(await sandbox.compile(text, { tenant: 'person:1' })).toEqual(sent(compile(text)));
  }
  const value = { a: 1, constructor: 1, polluted: 1 };
  for (const schema of HOSTILE_SCHEMAS) {
    const verdict = await sandbox.validateInput(schema, value, { tenant: 'person:1' });
    expect(verdict).toEqual(sent(validate(schema, value)));
  }
});

test('nothing of one file or schema is left for the next', async () => {
  const untouched = await results();
  for (const text of HOSTILE_FILES) {
    const first = await sandbox.compile(text, { tenant: 'person:1' });
    expect(await sandbox.compile(text, { tenant: 'person:2' })).toEqual(first);
  }
  expect(await results()).toBe(untouched);
  for (const schema of HOSTILE_SCHEMAS) {
    for (const value of [{ a: 1, constructor: 1, polluted: 1 }, 'aa']) {
      const first = await sandbox.validateInput(schema, value, { tenant: 'person:1' });
      expect(await sandbox.validateInput(schema, value, { tenant: 'person:2' })).toEqual(first);
      expect(await results()).toBe(untouched);
    }
  }
});
