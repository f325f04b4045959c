// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import { compile } from '../../language/compile.ts';
import { MISTAKES } from './mistakes.ts';
import { MISTAKES_OF_FORM } from './mistakes-of-form.ts';

describe('a typical mistake has one fault or warning, at its place, that says what to write', () => {
  it.each([...MISTAKES, ...MISTAKES_OF_FORM])('%s', (_, text, expected) => {
    const { faults, warnings } = compile(text);
    const notes = [...faults, ...warnings].map(
      ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
    );
    expect(notes).toEqual(expected);
    expect(notes).toHaveLength(1);
  });
});

it('mistakes in one file are all reported at once', () => {
  const text = [
    'do:',
    '  - first:',
    '      set: { a: ${ $.a }, b: ${ $.b } }',
    '  - second:',
    '      if: ${ $.a == 1 }',
    '      set:',
    '        title: Error: it broke',
    '        user: @me',
    '        text: "unclosed',
    '  - third:',
    '      cal: http',
    '      with: { methd: GET, url: https://a.test }',
    '      then: frist',
  ].join('\n');
  const places = compile(text).faults.map(({ line, column, code }) => `${line}:${column} ${code}`);
  expect(places).toEqual([
    '3:17 YAML_SYNTAX',
    '3:30 YAML_SYNTAX',
    '5:18 EXPRESSION_INVALID',
    '7:16 YAML_SYNTAX',
    '8:15 YAML_SYNTAX',
    '9:15 YAML_SYNTAX',
    '11:7 UNKNOWN_KEY',
    '12:15 UNKNOWN_KEY',
    '12:27 UNKNOWN_KEY',
    '13:13 UNKNOWN_TARGET',
  ]);
});
