import { Regex } from '../bson/values.ts';
import { literalPrefix, toRegExp } from '../query/regex.ts';

const matches = (pattern: string, options: string, text: string): boolean =>
  toRegExp(new Regex(pattern, options)).test(text);

describe('regular expressions', () => {
  it.each([
    ['^.$', '', '😀', true],
    ['a.b', '', 'a\nb', false],
    ['a.b', 's', 'a\nb', true],
    ['a.b', '', 'a\rb', true],
    ['^b$', 'm', 'a\nb\nc', true],
    ['^b$', '', 'a\nb', false],
    ['b$', '', 'ab\n', true],
    ['\\s', '', '\u00a0', false],
    ['[\\s]', '', '\t', true],
    ['(?i)ABC', '', 'xabc', true],
    ['a b # c', 'x', 'ab', true],
    ['a{,2}', '', 'a{,2}', true],
    ['\\-\\_\\@', '', '-_@', true],
    ['[a\\-z]', '', '-', true],
    ['[[]', '', '[', true],
    ['\\x41\\x{1F600}', '', 'A😀', true],
    ['(?<year>\\d{4})', '', '2024', true],
    ['(?<!a)b', '', 'cb', true],
    ['(?<=a{2}|bc)b', '', 'aab', true],
    ['(?<=[*])b', '', '*b', true],
  ])('%s with %j of %j: %s', (pattern, options, text, wanted) => {
    expect(matches(pattern, options, text)).toBe(wanted);
  });

  it.each([
    'a\\vb',
    '\\V',
    '\\u0041',
    '(?<=a*)b',
    '(?<!a?)b',
    '(?<=(a|bc))d',
    '(?<=(?:a{1,2}))b',
    '\\Aa',
    'a\\z',
    '[[:alpha:]]',
    'a++',
    '(?>a)',
    '(?R)',
    '\\Qa\\E',
    '\\p{L}',
    '(',
  ])('refuse %s', (pattern) => {
    expect(() => matches(pattern, '', 'a')).toThrow();
  });

  it.each([
    ['^abc', 'abc'],
    ['^ab*', 'a'],
    ['^a\\.b?', 'a.'],
    ['^😀*x', ''],
    ['^a|b', ''],
    ['abc', ''],
    ['^a(b)', 'a'],
    ['^a\\d', 'a'],
  ])('%s begins with %j', (pattern, prefix) => {
    expect(literalPrefix(new Regex(pattern, ''))).toBe(prefix);
  });
});
