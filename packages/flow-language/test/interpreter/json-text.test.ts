import { JsonText, jsonOf, parseJson } from '../../interpreter/json-text.ts';

const TEXT = '{ "a": [1] }'; // written anew, it would have no spaces

test('a value that was parsed is not written out again', () => {
  expect(parseJson(TEXT)).toEqual({ a: [1] });
  expect(jsonOf(parseJson(TEXT))).toBe(TEXT);
  expect(jsonOf(new JsonText(TEXT).toJSON())).toBe(TEXT);
});

test.each(['"text"', '1', 'true', 'null'])('%s is parsed and written', (text) => {
  expect(parseJson(text)).toBe(JSON.parse(text));
  expect(jsonOf(parseJson(text))).toBe(text);
});
