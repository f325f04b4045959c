// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema
import { compile } from '../../language/compile.ts';

function messagesOf(document: unknown): string[] {
  const text = JSON.stringify({ input: { schema: { document } }, do: [] });
  return compile(text).faults.map(({ code, message }) => `${code} ${message}`);
}

const EVERYTHING = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.com/order',
  $comment: 'c',
  title: 't',
  description: 'd',
  default: null,
  examples: [1],
  type: ['object', 'null'],
  properties: {
    id: { type: 'integer', exclusiveMinimum: 0, multipleOf: 1 },
    $ref: { const: '$ref is a property here' },
    lines: { type: 'array', prefixItems: [true], items: { $ref: '#/$defs/line' }, minItems: 1 },
    tree: { $ref: '#' },
    named: { $ref: '#thing' },
    inner: { $ref: 'https://example.com/inner' },
  },
  patternProperties: { '^x-\\p{L}+$': false },
  required: ['id'],
  dependentRequired: { id: ['lines'] },
  dependentSchemas: { id: { minProperties: 1 } },
  allOf: [{ if: { const: 1 }, then: { enum: [{ $ref: 'data' }] }, else: true }],
  unevaluatedProperties: false,
  $defs: {
    line: { $anchor: 'thing', type: 'string', pattern: '^[a-z]{1,3}$', format: 'anything' },
    inner: { $id: 'https://example.com/inner', not: {} },
  },
  'x-note': 'other keywords are annotations',
};

/** `n` schemas, each of which refers to the next. */
function chainOf(n: number) {
  const $defs = Object.fromEntries(
    Array.from({ length: n - 1 }, (_, i) => [`s${i}`, { $ref: `#/$defs/s${i + 1}` }]),
  );
  return { $defs: { ...$defs, [`s${n - 1}`]: {} } };
}

describe('the schema of the input', () => {
  it.each([
    ['true', true],
    ['an empty map', {}],
    ['a pattern of 500 parts', { pattern: `${'(?:a'.repeat(250)}${')*?'.repeat(250)}\\?[?*]` }],
    ['a chain of 128 schemas', chainOf(128)],
    ['wide and shared', { ...chainOf(60), anyOf: Array(900).fill({ $ref: '#/$defs/s0' }) }],
    ['every keyword', EVERYTHING],
  ])('may be %s', (_, document) => {
    expect(messagesOf(document)).toEqual([]);
  });

  it.each([
    ['a keyword of the wrong type', { minLength: '1' }],
    ['a negative count', { maxItems: -1 }],
    ['an unknown type deep inside', { anyOf: [{ properties: { a: { type: 'date' } } }] }],
    ['an empty list of schemas', { oneOf: [] }],
    ['items as a list, as in earlier versions', { items: [{}] }],
    ['a type twice', { type: ['string', 'string'] }],
    ['required twice', { required: ['a', 'a'] }],
    ['a pattern of 501 groups', { pattern: `${'('.repeat(501)}${')'.repeat(501)}` }],
    ['a pattern of 501 quantifiers', { pattern: 'a?'.repeat(501) }],
    ['a broken pattern as key', { patternProperties: { '[': {} } }],
    ['a pattern that is no Unicode regular expression', { pattern: '\\-' }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['an identifier with a fragment', { $id: 'https://x/y#z' }],
    ['one identifier twice', { $defs: { a: { $id: 'x:a' }, b: { $id: 'x:a' } } }],
    ['a dynamic reference', { $dynamicRef: '#a' }],
    ['multiples of nothing', { multipleOf: 0 }],
    ['a chain of 129 schemas', chainOf(129)],
    ['a chain of 900 schemas', chainOf(900)],
    ['itself for the same value', { anyOf: [{}, { $ref: '#' }] }],
    ['each other', { $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { $ref: '#/$defs/a' } } }],
    ['a reference to nowhere', { $defs: { a: {} }, $ref: '#/$defs/b' }],
  ])('may not have %s', (_, document) => {
    expect(messagesOf(document)).toEqual([expect.stringMatching(/^SCHEMA_INVALID /)]);
  });

  it.each(['https://json-schema.org/draft/2020-12/schema', 'other.json', '//x/y#/z'])(
    'may not refer to %s',
    ($ref) => {
      expect(messagesOf({ items: { $ref } })).toEqual([
        expect.stringMatching(/^SCHEMA_REMOTE_REF /),
      ]);
    },
  );

  it('has a warning of a keyword that is nearly another, and none of an annotation', () => {
    const document = { proprties: {}, example: 1, nullable: true, 'x-note': 2, discriminator: 3 };
    const file = JSON.stringify({ input: { schema: { document } }, do: [] });
    const { plan, warnings } = compile(file);
    expect(plan).not.toBeNull();
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'SCHEMA_DOUBTFUL',
        message: expect.stringContaining('did you mean "properties"?'),
      }),
    ]);
  });
});
