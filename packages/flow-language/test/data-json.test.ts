import fc from 'fast-check';
import { parseDataJson } from '../data-json.ts';

/** JSON by its tokens, and the value that it has as data. */
interface Written {
  text: string;
  value: unknown;
}

const space = fc.constantFrom('', ' ', '\n\t');
const texts = fc
  .array(fc.constantFrom('"', '\\', '1234567890123456789', ',', ':1', '[', 'e999', 'é'))
  .map((parts) => parts.join(''));
const key = texts.map((name) => `k${name}`);
const digits = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt(0n, 10n ** 40n))
  .map(([sign, number]): Written => {
    const text = `${sign}${number}`;
    return { text, value: Number.isSafeInteger(Number(text)) ? Number(text) : text };
  });
const other = fc
  .constantFrom('1.12345678901234567890', '1e2', '12345678901234567.5', '1E+22', '-0')
  .map((text): Written => ({ text, value: Number(text) }));
const infinite = fc
  .constantFrom('1e999', '-1E+309', '1.5e00400', `${'9'.repeat(300)}e30`)
  .map((text): Written => ({ text, value: text }));
const string = texts.map((value): Written => ({ text: JSON.stringify(value), value }));
const { json } = fc.letrec<{ json: Written }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    digits,
    other,
    infinite,
    string,
    fc.tuple(fc.array(tie('json'), { maxLength: 4 }), space).map(([items, gap]) => ({
      text: `[${items.map(({ text }) => `${gap}${text}${gap}`).join(',')}]`,
      value: items.map(({ value }) => value),
    })),
    fc.tuple(fc.dictionary(key, tie('json'), { maxKeys: 4 }), space).map(([map, gap]) => ({
      text: `{${Object.entries(map)
        .map(([name, { text }]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${text}`)
        .join(',')}}`,
      value: Object.fromEntries(Object.entries(map).map(([name, { value }]) => [name, value])),
    })),
  ),
}));

it('integers beyond a double and numbers too large for one are text with all digits, nothing else changes', () => {
  fc.assert(
    fc.property(json, ({ text, value }) => {
      expect(parseDataJson(text)).toEqual(value);
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740993', '-9007199254740993'],
  ['{"id":7615917337495251231}', { id: '7615917337495251231' }],
])('%s is %p', (text, value) => {
  expect(parseDataJson(text)).toEqual(value);
});

it.each([
  '{12345678901234567890:1}',
  '[12345678901234567890',
  '01234567890123456789',
  '12345678901234567890.',
])('%s is no JSON', (text) => {
  expect(() => parseDataJson(text)).toThrow(SyntaxError);
});
