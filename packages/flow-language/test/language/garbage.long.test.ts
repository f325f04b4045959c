// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import fc from 'fast-check';
import { compile } from '../../language/compile.ts';
import type { Compiled } from '../../plan.ts';

const word = fc.constantFrom(
  ...'do set call http with for in each switch when then try catch retry raise wait if input'.split(
    ' ',
  ),
  ...'from output as export metadata document &a *a !t << ? : - , { } [ ] | > " \' # % @ `'.split(
    ' ',
  ),
  ...[
    '${',
    '}',
    '$steps.a',
    '$${',
    '\n',
    '\n  ',
    '\n    - ',
    ': ',
    '- a:',
    '\t',
    '\r\n',
    '---',
    '...',
  ],
);

const isFault = ({ line, column, code, message }: Compiled['faults'][number]): boolean =>
  line > 0 && column > 0 && /^[A-Z]+(?:_[A-Z]+)*$/.test(code) && message.length > 0;

function expectAnswer({ plan, faults }: Compiled): void {
  expect(plan === null).toBe(faults.length > 0);
  expect(faults.filter((fault) => !isFault(fault))).toEqual([]);
}

/** The tags of the schemas of YAML 1.1 and 1.2 and of `yaml`, and others. */
const tag = fc.constantFrom(
  ...`str int float bool null map seq omap pairs set timestamp binary merge value yaml int:hex floatTime
  unknown`
    .split(/\s+/)
    .flatMap((name) => [`!!${name}`, `!<tag:yaml.org,2002:${name}>`]),
  ...['!', '!x', '!x!y', '!<x>', '!!', '!<>'],
);

/** Any YAML in flow style, with tags and anchors at every value and key. */
const { value: tagged } = fc.letrec<{ value: string; node: string }>((tie) => ({
  value: fc
    .tuple(fc.option(tag), fc.constantFrom('', '', '&a '), tie('node'))
    .map(([given, anchor, node]) => `${anchor}${given === null ? '' : `${given} `}${node}`),
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(
      ...['', 'a', '1', '1.5', '0x1F', 'true', '~', '.inf', '<<', '*a', '"a"', "'1'", '=', 'do'],
      ...['2001-12-14', '12:30:45', '1_000', 'aGk=', '"${ $ }"', 'x # y\n'],
    ),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 })
      .map((entries) => `{${entries.map(([key, value]) => `${key} : ${value}`).join(', ')}}`),
    fc
      .array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 })
      .map((entries) => `[${entries.map(([key, value]) => `${key} : ${value}`).join(', ')}]`),
  ),
}));

/** Any code point but half a surrogate pair. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

describe('any text at all', () => {
  it('of words of the language ends with faults or a plan', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        expectAnswer(compile(words.join('')));
        expectAnswer(compile(words.join(' ')));
      }),
      { numRuns: 500 },
    );
  });

  it('of any characters ends with faults or a plan', () => {
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 60 }), (text) =>
        expectAnswer(compile(text)),
      ),
      { numRuns: 300 },
    );
  });

  it('with tags at every value ends with faults or a plan', () => {
    const places = [
      (text: string) => text,
      (text: string) => `do: ${text}`,
      (text: string) => `do: [{ a: ${text} }]`,
      (text: string) => `do: [{ a: { set: { b: ${text} } } }]`,
      (text: string) => `do:\n  - a:\n      set:\n        b: ${text}\n`,
      (text: string) => `input: { schema: { document: ${text} } }\ndo: []`,
    ];
    fc.assert(
      fc.property(tagged, fc.constantFrom(...places), (text, place) =>
        expectAnswer(compile(place(text))),
      ),
      { numRuns: 2_000 },
    );
  });

  it('in block style with tags ends with faults or a plan', () => {
    const line = fc.tuple(
      fc.constantFrom('', '  ', '    ', '      '),
      fc.constantFrom('', '- ', 'a: ', '- a: ', '? ', ': ', '<<: ', 'do: ', 'set: '),
      fc.option(tag),
      fc.constantFrom('', ' a', ' 1', ' |', ' # c', ' [a: 1]', ' {a: 1}', ' &a', ' *a', ' ---'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.map(
          ([indent, key, given, value]) => indent + key + (given ?? '') + value,
        );
        expectAnswer(compile(text.join('\n')));
      }),
      { numRuns: 1_500 },
    );
  });

  it('that is JSON ends with faults or a plan', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expectAnswer(compile(text));
        expectAnswer(compile(`{"do": [{"a": ${text}}]}`));
        expectAnswer(compile(`{"do": [{"a": {"set": {"b": ${text}}}}]}`));
      }),
      { numRuns: 200 },
    );
  });

  it('in the place of an expression ends with faults or a plan', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const file = JSON.stringify({ do: [{ a: { set: { b: `\${${text}}` }, if: text } }] });
        expectAnswer(compile(file));
      }),
      { numRuns: 300 },
    );
  });

  it('in the place of a schema ends with faults or a plan', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('items', '$ref', '$id', 'pattern', 'properties'),
        (value, key) => {
          const document = { [key]: value, anyOf: [value] };
          expectAnswer(compile(JSON.stringify({ input: { schema: { document } }, do: [] })));
        },
      ),
      { numRuns: 200 },
    );
  });
});
