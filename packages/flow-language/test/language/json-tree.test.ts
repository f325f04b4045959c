import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Faults } from '../../language/faults.ts';
import { readJson } from '../../language/json-tree.ts';
import { toJson } from '../../language/tree.ts';
import { readYaml } from '../../language/yaml.ts';

/** The tree of a text by `yaml`, and its faults. */
function read(text: string) {
  const faults = new Faults(text);
  const tree = readYaml(text, faults);
  return { tree, faults: faults.list(tree) };
}

/** Asserts that a text is read as `yaml` reads it, or left to `yaml`. Tells whether it was read. */
function assertSame(text: string): boolean {
  const faults = new Faults(text);
  const tree = readJson(text, faults);
  if (tree) expect(read(text)).toStrictEqual({ tree, faults: [] });
  expect(faults.list(null)).toEqual([]);
  return Boolean(tree);
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(
      '\\',
      '"',
      '\n',
      '\t',
      '#',
      ':',
      ' ',
      '\0',
      '\u{1f600}',
      '\ud83d',
      '\u2028',
      '\x85',
      '\x7f',
      '\ufeff',
      '$',
      '{',
      '}',
    ),
    maxLength: 12,
  }),
  fc.constantFrom(
    'true',
    'null',
    '~',
    '1',
    '<<',
    '---',
    '...',
    '*a',
    '&a',
    '!t',
    '',
    'yes',
    '0x1F',
  ),
);
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e21, 1e-7, 2 ** 53));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  map: fc.dictionary(text, tie('value'), { maxKeys: 5 }),
}));
const map = fc.dictionary(text, value, { maxKeys: 5 });
const indent = fc.constantFrom(0, 1, 2, '\n', '\t', ' \n ');

test('a JSON text is read as yaml reads it', () => {
  let count = 0;
  const property = fc.property(map, indent, (json, space) => {
    if (assertSame(JSON.stringify(json, null, space))) count += 1;
  });
  fc.assert(property, { numRuns: 2_000 });
  expect(count).toBeGreaterThan(500);
});

test('a JSON text that was changed anywhere is read as yaml reads it', () => {
  const change = fc.record({
    at: fc.nat(200),
    drop: fc.nat(3),
    put: fc.constantFrom(
      '',
      ' ',
      '\n',
      '\t',
      '\r\n',
      ',',
      ':',
      '"',
      '\\',
      '}',
      ']',
      '# x',
      '0',
      'e9',
      '-',
      '/',
      "'",
      '\\u00',
      '\ud800',
    ),
  });
  const property = fc.property(map, indent, change, (json, space, { at, drop, put }) => {
    const written = JSON.stringify(json, null, space);
    const place = at % (written.length + 1);
    assertSame(written.slice(0, place) + put + written.slice(place + drop));
  });
  fc.assert(property, { numRuns: 3_000 });
});

test.each([
  ['{}', true],
  ['{"a":1}\n', true],
  ['{ "a" : 1 }', false],
  ['{"a":[]\n,"b":{}}', true],
  ['{"a":\n1}', true],
  ['{"a"\n:1}', false],
  ['{"a":1,"a":2}', false],
  ['{"a":1}{"b":2}', false],
  ['{"a":1} # comment', false],
  ['{a: 1}', false],
  ['[1]', false],
  ['1', false],
  [' {"a":1}', false],
  ['\ufeff{"a":1}', false],
  ['{"a":\t1}', false],
  ['{"a":"\\u0000"}', false],
  ['{"a":"\\ud83d"}', false],
  ['{"a":"\\ud83d\\ude00\\/\\u00e9"}', true],
  ['{"a":1e400}', false],
  ['{"a":1234567890123456}', false],
  ['{"a":-0,"b":0.5e-3,"c":1E3}', true],
  ['{"__proto__":{"constructor":1}}', true],
  ['{"<<":{"a":1}}', true],
  [`{"${'k'.repeat(998)}":1}`, true],
  [`{"${'k'.repeat(1_100)}":1}`, false],
  [`{"a":${'['.repeat(60)}${']'.repeat(60)}}`, true],
  [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, false],
  [`{"a":[${'1,'.repeat(19_000)}1]}`, true],
  [`{"a":"${'x'.repeat(256 * 1024)}"}`, false],
  [JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [n, 1]))), false],
  [`{"a":"\x85\u2028\x7f\ufffe"}`, true],
])('the text %.60j is read by this reader: %j', (written, isRead) => {
  expect(assertSame(written)).toBe(isRead);
});

test('a text with more than 20,000 values is refused by this reader, as by yaml', () => {
  const text = `{"a":[${'1,'.repeat(20_000)}1]}`;
  const faults = new Faults(text);
  expect(readJson(text, faults)).toBeNull();
  const codes = [faults.list(null), read(text).faults].map((list) => list.map(({ code }) => code));
  expect(codes).toEqual([['TOO_MANY_NODES'], ['TOO_MANY_NODES']]);
});

test('a flow file that a program has written as JSON is read by this reader', () => {
  const { tree } = read(readFileSync(new URL('order-sync.yaml', import.meta.url), 'utf8'));
  if (!tree) throw new Error('the file is no flow');
  for (const space of [0, 2])
    expect(assertSame(JSON.stringify(toJson(tree), null, space))).toBe(true);
});
