import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { compileExpression } from '../aggregation/expression.ts';
import { variablesOf } from '../aggregation/variables.ts';
import { type Document, Regex, toValue, type Value } from '../bson/values.ts';
import { MongoError } from '../errors.ts';
import { literalPrefix, patternOf } from '../query/regex/regex.ts';

const matches = (pattern: string, options: string, text: string): boolean =>
  patternOf(new Regex(pattern, options)).test(text);

/** Pattern, options, text, and what Perl 5 (flag a) matches: start, end and captures, or null. Captures may be left out. */
const reference: [string, string, string, [number, number, (string | null)[] | null] | null][] =
  JSON.parse(readFileSync(join(import.meta.dirname, 'regex-reference.json'), 'utf8'));

const evaluate = (name: string, input: string, regex: string, options: string): Value | undefined =>
  compileExpression(toValue({ [name]: { input, regex: { $literal: regex }, options } }))(
    variablesOf(),
  );

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
    ['(?<=x(?:a|b))c', '', 'xbc', true],
    ['\\w', 'i', 'ſ', false],
    ['\\w', 'i', '\u212a', false],
    ['[\\w-]', 'i', 'ſ', false],
    ['^[^\\w]$', 'i', 'ſ', true],
    ['^[^\\wſ]$', 'i', 'ſ', false],
    ['^\\W$', 'i', '\u212a', true],
    ['s', 'i', 'ſ', true],
    ['[a-z]', 'i', '\u212a', true],
    ['a\\b', 'i', 'aſ', true],
    ['^[\\S]$', '', 'x', true],
    ['[^\\S]', '', 'x', false],
    ['\\012', '', '\n', true],
    ['\\12', '', '\n', true],
    ['\\0', '', '\0', true],
    ['^\\377$', '', '\u00ff', true],
    ['[\\1]', '', '\u0001', true],
    ['\\{2}', '', 'a{2}', true],
    ['a\\{2}', '', 'aa', false],
    ['a{2}}', '', 'aa}', true],
    ['\\x', '', '\0', true],
    ['\\x4z', '', '\u0004z', true],
    ['(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10', '', 'abcdefghijj', true],
    ['(a)\\1', '', 'aa', true],
    ['(?<x>a|b)\\k<x>', '', 'bb', true],
    ['^a $', 'x', 'a\n', true],
    ['(?:a?b?)*c', '', 'abc', true],
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
    'a)',
    '*a',
    'a**',
    '^*',
    '(?=a)*',
    'a{2,1}',
    'a{65536}',
    '\\1(a)',
    '(a)|\\1',
    '(a)?\\1',
    '(?:(a)|b)*\\1',
    '(a\\1)',
    '(?!(a))\\1',
    '(a)\\2',
    '\\k<x>',
    '(?<x>a)(?<x>b)',
    '(|a)*',
    '(?:a??){2,3}',
    '[z-a]',
    '[\\d-z]',
    '[\\B]',
    '\\x{110000}',
    '\\x{d800}',
    '\\i',
    'a\\',
    '(?#a)',
    '(*UTF8)',
  ])('refuse %s', (pattern) => {
    expect(() => matches(pattern, '', 'a')).toThrow();
  });

  it.each([
    ['(a)|b', false],
    ['(a)?', false],
    ['((a)b)+', false],
    ['(?:(a)|b)+', true],
    ['(a*)?', true],
    ['(?=(a))?', undefined],
  ])('%s may set its groups otherwise than PCRE: %s', (pattern, wanted) => {
    if (wanted === undefined) expect(() => matches(pattern, '', 'a')).toThrow();
    else expect(patternOf(new Regex(pattern, '')).capturesDiffer).toBe(wanted);
  });

  it('match lines and positions between characters only, never within a surrogate pair', () => {
    const CHARACTERS = ['a', '\n', '😀', 'é'];
    const positions: Record<string, (before: string | undefined, after: string[]) => boolean> = {
      '^': (before, after) => before === undefined || (before === '\n' && after.length > 0),
      $: (_, [next]) => next === undefined || next === '\n',
      '\\B': (before, [next]) => (before === 'a') === (next === 'a'),
      '': () => true,
      '(?!a)': (_, [next]) => next !== 'a',
    };
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...Object.keys(positions)),
        (characters, source) => {
          // A search never begins at the end, so the last position is found only by a search from before.
          const holds = characters
            .concat('')
            .map((_, i) => positions[source]?.(characters[i - 1], characters.slice(i)) === true);
          const wanted = holds.flatMap((held, i) => (held ? [i] : []));
          const last = characters.length;
          if (holds[last] && holds[last - 1]) wanted.pop();
          const found = evaluate('$regexFindAll', characters.join(''), source, 'm') as Document[];
          expect(found.map((match) => match.get('idx'))).toEqual(wanted);
        },
      ),
    );
  });

  it.each<[string, string, [string, number][]]>([
    [
      'a*',
      'ab',
      [
        ['a', 0],
        ['', 1],
      ],
    ],
    ['a*', '', [['', 0]]],
    ['$', 'ab', [['', 2]]],
    [
      'b*',
      'ab',
      [
        ['', 0],
        ['b', 1],
      ],
    ],
    [
      'x?',
      '😀a',
      [
        ['', 0],
        ['', 1],
      ],
    ],
  ])('all matches of %s in %j are %j', (pattern, input, wanted) => {
    const found = evaluate('$regexFindAll', input, pattern, '') as Document[];
    expect(found.map((match) => [match.get('match'), match.get('idx')])).toEqual(wanted);
  });

  it('are found in time proportional to the length of the text', () => {
    const input = '😀b'.repeat(100_000);
    const found = evaluate('$regexFindAll', input, 'b', '') as Document[];
    expect(found.at(-1)?.get('idx')).toBe(199_999);
  });

  it.each([
    ['a pattern longer than PCRE takes', 'a'.repeat(32_765)],
    ['one that JavaScript finds too large when it first searches', '(?=(a))'.repeat(4000)],
  ])('refuse %s', (_, pattern) => {
    for (const text of ['a', '😀'])
      expect(() => matches(pattern, '', text)).toThrow(expect.objectContaining({ code: 51091 }));
    expect(() => evaluate('$regexFind', 'a', pattern, '')).toThrow(MongoError);
  });

  it('are refused where a result has groups that JavaScript sets otherwise', () => {
    expect(evaluate('$regexMatch', 'ab', '(?:(a)|b)+', '')).toBe(true);
    expect(() => evaluate('$regexFind', 'ab', '(?:(a)|b)+', '')).toThrow(/\$regexFind/);
  });

  it('match as Perl does, in the cases that were asked of it', () => {
    const answers = reference.map(([pattern, options, text]) => {
      const compiled = patternOf(new Regex(pattern, options));
      const match = compiled.exec(text, 0);
      if (!match) return null;
      const codePointsTo = (end: number): number => [...text.slice(0, end)].length;
      const captures = match.slice(1).map((capture) => capture ?? null);
      return [
        codePointsTo(match.index),
        codePointsTo(match.index + match[0].length),
        compiled.capturesDiffer ? null : captures,
      ];
    });
    expect(answers).toEqual(reference.map(([, , , wanted]) => wanted));
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
