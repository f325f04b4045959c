import fc from 'fast-check';
import { LONGEST_PATH, Problem } from '../../../../contract/problem.ts';
import { parseJson } from '../../../../mixins/gateway/body/parse-json.ts';
import { scanJson } from '../../../../mixins/gateway/body/scan-json.ts';

const UNBOUNDED = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };
const repeatedKeys = (text: string, most: number) => scanJson(text, UNBOUNDED, most).repeatedKeys;

it.each([
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"a":1,"a":2,"a":3}', ['a']],
  ['{"a":1,"\\u0061":2}', ['a']],
  ['{"a\\"":1,"a\\"":2}', ['a"']],
  ['{"a\\\\":1,"b":"\\\\","a\\\\":2}', ['a\\']],
  ['{"a":{"b":1},"c":{"b":1}}', []],
  ['{"a":[{"b":1},{"b":1,"c":[],"b":2}]}', ['a.1.b']],
  ['[["x","x"],{"x":"x","y":"x"}]', []],
  ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
  ['{"":1,"":2}', ['']],
  [' { "a" : { } , "a" : [ ] } ', ['a']],
  ['"a"', []],
  ['17', []],
])('of %s are %p', (text, paths) => {
  expect(repeatedKeys(text, 100)).toEqual(paths);
});

it('takes the keys of a body from no earlier body', () => {
  const taken = (text: string) => parseJson(Buffer.from(text), {}, () => []);
  taken('{"v1":1,"\\\\n\\ud83d":1}'); // the key has a lone surrogate, which V8 alone would repeat
  expect(taken('{"v1":1,"\\n\u{1f600}":1}')).toEqual({
    value: { v1: 1, '\n\u{1f600}': 1 },
    faults: [],
  });
});

it('ends after as many as are asked for', () => {
  expect(repeatedKeys('{"a":1,"a":1,"b":1,"b":1}', 1)).toEqual(['a']);
});

it('cuts a path of long or many names, and ends after as many repeats whatever their paths', () => {
  const long = 'k'.repeat(5_000);
  expect(repeatedKeys(`{"${long}":{"a":1,"a":1}}`, 100)).toEqual([long.slice(0, LONGEST_PATH)]);
  const deep = `${'['.repeat(500)}{"a":1,"a":1},{"b":1,"b":1}${']'.repeat(500)}`;
  expect(repeatedKeys(deep, 1)).toEqual(['0.'.repeat(LONGEST_PATH / 2)]);
});

/** Characters of the long name, and of the repeats under it. */
const HALF = 1024 * 1024;
it.each([
  ['one key of one object', '{', '"":0,'.repeat(HALF / 5), '"":0}'],
  ['one key of many objects', '[', '{"":0,"":0},'.repeat(HALF / 12), '0]'],
])(
  'does not build the path again for repeats of %s under a long name, which would take minutes',
  (_, open, repeats, close) => {
    const text = `{"${'k'.repeat(HALF)}":${open}${repeats}${close}}`;
    expect(repeatedKeys(text, HALF)).toEqual(['k'.repeat(LONGEST_PATH)]);
  },
);

/** A JSON value whose objects are lists of members, so that a key can stand in one twice. */
type Json =
  | { scalar: string | number | boolean | null }
  | { items: Json[] }
  | { members: [string, Json][] };

const NAMES = ['a', 'b', 'é', '"', '\\', '', '{', ',', '\u2028'];
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.record({ scalar: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)) }),
    fc.record({ items: fc.array(tie('json'), { maxLength: 4 }) }),
    fc.record({
      members: fc.array(fc.tuple(fc.constantFrom(...NAMES), tie('json')), { maxLength: 5 }),
    }),
  ),
}));

/** As JSON, each key written plainly or with every character escaped, with spaces here and there. */
function write(value: Json, escapes: () => boolean): string {
  const space = () => (escapes() ? ' \n' : '');
  if ('scalar' in value) return space() + JSON.stringify(value.scalar);
  if ('items' in value)
    return `[${value.items.map((item) => write(item, escapes)).join(',')}${space()}]`;
  const escaped = (key: string) =>
    [...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const members = value.members.map(([key, member]) => {
    const name = escapes() ? `"${escaped(key)}"` : JSON.stringify(key);
    return `${space()}${name}${space()}:${write(member, escapes)}`;
  });
  return `{${members.join(',')}}`;
}

/** The same by walking the value. */
function naive(value: Json, path: readonly (string | number)[] = []): string[] {
  if ('scalar' in value) return [];
  if ('items' in value) return value.items.flatMap((item, at) => naive(item, [...path, at]));
  return value.members.flatMap(([key, member], at) => [
    ...(value.members.slice(0, at).some(([before]) => before === key)
      ? [[...path, key].join('.')]
      : []),
    ...naive(member, [...path, key]),
  ]);
}

it('finds what a walk over the members finds, however the text is written', () => {
  fc.assert(
    fc.property(json, fc.infiniteStream(fc.boolean()), (value, choices) => {
      const text = write(value, () => choices.next().value === true);
      JSON.parse(text);
      expect(repeatedKeys(text, 1_000)).toEqual([...new Set(naive(value))]);
    }),
    { numRuns: 500 },
  );
});

/** The code of the fault that a text is refused with. */
function refusal(text: string, bounds: { depth: number; values: number }): string | undefined {
  try {
    scanJson(text, bounds, 0);
  } catch (error) {
    return error instanceof Problem ? error.data.errors?.[0]?.code : String(error);
  }
}

/** Counts the values and the levels of a parsed text. */
function measure(value: unknown): { values: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 };
  const inner = Object.values(value).map(measure);
  return {
    values: inner.reduce((sum, { values }) => sum + values, 1),
    depth: Math.max(0, ...inner.map(({ depth }) => depth)) + 1,
  };
}

it.each([
  '0',
  '{}',
  '[]',
  ' [ ] ',
  '[[],[ ],{\n}]',
  '[[[]],{"a":[{}]},""]',
  '{"a,[{":"\\",[\\\\","b":[0,null,true,1e3]}',
])('counts the values and levels that a text has: %s', (text) => {
  const { values, depth } = measure(JSON.parse(text));
  expect(refusal(text, { values, depth })).toBeUndefined();
  expect(refusal(text, { values: values - 1, depth })).toBe('too_many_values');
  if (depth > 0) expect(refusal(text, { values, depth: depth - 1 })).toBe('too_deep');
});

it('reads a text to its end that is no JSON', () => {
  for (const text of ['', '"', '"\\', ']]]', '[', '{"a']) {
    expect(refusal(text, { values: 2, depth: 1 })).toBeUndefined();
  }
  expect(refusal('['.repeat(100), { values: 1_000, depth: 32 })).toBe('too_deep');
});
