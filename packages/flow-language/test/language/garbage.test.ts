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
