// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import fc from 'fast-check';
import {
  escapeExpressions,
  type Segment,
  splitTemplate,
  wholeExpression,
} from '../../language/template-text.ts';

/** Writes segments as an author would. */
function write(segments: readonly Segment[]): string {
  return segments
    .map((one) =>
      one.kind === 'text' ? one.text.replaceAll('${', () => '$${') : `\${${one.source}}`,
    )
    .join('');
}

const withoutPlaces = (segments: readonly Segment[]) =>
  segments.map((one) => (one.kind === 'text' ? one.text : [one.source]));

const text = fc
  .stringMatching(/^[a-z${} ]{1,8}$/)
  .filter((one) => !one.endsWith('$') && !one.includes('$${'));

/** Expressions with every place where a brace may hide. */
const source = fc
  .array(
    fc.constantFrom(
      ' $.a ',
      '"}"',
      "'{\\'}'",
      '`}`',
      '{ "a": { } }',
      ' + ',
      '/* } */',
      '(/a{1}\\}[/]\\//)',
      ' 6 / 2 ',
      '$.* / 2',
      '[%]',
      ' and ',
      'function($x){ $x }',
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(' '));

const segments = fc
  .array(
    fc.oneof(
      text.map((one) => ({ kind: 'text' as const, text: one })),
      source.map((one) => ({ kind: 'expression' as const, source: one, index: 0 })),
    ),
    { maxLength: 6 },
  )
  .filter((all) => all.every((one, i) => one.kind !== 'text' || all[i + 1]?.kind !== 'text'));

describe('a string with expressions', () => {
  it('splits into what it was written from', () => {
    fc.assert(
      fc.property(segments, (expected) => {
        const split = splitTemplate(write(expected));
        if (!('segments' in split)) throw new Error(`unterminated: ${write(expected)}`);
        expect(withoutPlaces(split.segments)).toEqual(withoutPlaces(expected));
      }),
    );
  });

  it('never loses a character that it has no meaning for', () => {
    fc.assert(
      fc.property(
        fc.string().filter((one) => !one.includes('${')),
        (plain) => {
          const expected = plain === '' ? [] : [{ kind: 'text', text: plain }];
          expect(splitTemplate(plain)).toEqual({ segments: expected });
        },
      ),
    );
  });

  it('is an escaped text again, whatever the text', () => {
    const hostile = fc
      .array(fc.constantFrom('$', '{', '}', '$$', '${', 'a'))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string()), (plain) => {
        const expected = plain === '' ? [] : [{ kind: 'text', text: plain }];
        expect(splitTemplate(escapeExpressions(plain))).toEqual({ segments: expected });
      }),
    );
  });

  it.each([
    ['$${', [{ kind: 'text', text: '${' }]],
    ['a$$${b}', [{ kind: 'text', text: 'a$${b}' }]],
    ['${ a }', [{ kind: 'expression', source: ' a ', index: 2 }]],
    [
      '$ ${ a }}',
      [
        { kind: 'text', text: '$ ' },
        { kind: 'expression', source: ' a ', index: 4 },
        { kind: 'text', text: '}' },
      ],
    ],
  ])('%s', (given, expected) => {
    expect(splitTemplate(given)).toEqual({ segments: expected });
  });

  it.each([
    ['${', 0],
    ['a ${ "}', 2],
    ['${ a } ${ {', 7],
    ['${ /* } ', 0],
    ['${ `} ', 0],
    ['${ /} ', 0],
  ])('%s is never closed', (given, at) => {
    expect(splitTemplate(given)).toEqual({ unterminatedAt: at });
  });

  it.each([
    ['${ a }', true],
    [' \n${ a }\t', true],
    ['${ a }.', false],
    ['${ a }${ b }', false],
    ['a', false],
    ['', false],
  ])('%j is one expression as a whole: %s', (given, expected) => {
    const split = splitTemplate(given);
    expect('segments' in split && wholeExpression(split.segments) !== null).toBe(expected);
  });
});
