import fc from 'fast-check';
import { placeOfMistake } from '../../../../mixins/gateway/body/json-mistake.ts';

it.each<[what: string, text: string, line: number, column: number]>([
  ['an empty variable of a shell', '{"workspaceId":,"name":"x"}', 1, 16],
  ['a form in place of JSON', 'input=3', 1, 1],
  ['a comma at the end', '{\n  "a": 1,\n}', 3, 1],
  ['a comma at the end of a list', '[1,]', 1, 4],
  ['no comma', '{"a":1 "b":2}', 1, 8],
  ['no colon', '{"a" 1}', 1, 6],
  ['a key without quotes', '{a:1}', 1, 2],
  ['single quotes', "{'a':1}", 1, 2],
  ['a line break in a string', '{"a":"x\ny"}', 1, 6],
  ['an unknown escape', '{"a":"\\x"}', 1, 6],
  ['a comma behind a string with escaped backslashes', '{"a":"\\\\x\\u00e9",}', 1, 18],
  ['a string without an end', '{"a":"x', 1, 6],
  ['a number with a zero before it', '[01]', 1, 2],
  ['a word that is none of JSON', '[nul]', 1, 2],
  ['the wrong bracket', '{"a":[1}', 1, 8],
  ['a bracket too many', '{}}', 1, 3],
  ['a second value', '{} {}', 1, 4],
  ['a text that ends too early', '{"a":', 1, 6],
  ['no text', '', 1, 1],
])('names the place of %s', (_, text, line, column) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(placeOfMistake(text)).toEqual({ line, column });
});

/** Where the engine's own parser stops; the length of the text where it only misses the rest, null for valid JSON. */
function engineStopsAt(text: string): number | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const { message } = error as SyntaxError;
    const at = / at position (\d+)/.exec(message)?.[1];
    return at === undefined && /^Unexpected end/.test(message) ? text.length : Number(at);
  }
}

/** Texts of JSON with something cut out or put in. */
const mangled = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(...',"}]{:0\\x', '\\\\', ''),
  )
  .map(([text, place, cut, put]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + put + text.slice(at + cut);
  })
  .filter((text) => engineStopsAt(text) !== null);

it('stops where nothing before is wrong', () => {
  fc.assert(
    fc.property(mangled, (text) => {
      const { line, column } = placeOfMistake(text);
      expect(line).toBe(1);
      const before = text.slice(0, column - 1);
      expect([null, before.length]).toContain(engineStopsAt(before));
    }),
    { numRuns: 500 },
  );
});
