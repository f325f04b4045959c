import fc from 'fast-check';
import { invalidRequest, LONGEST_PATH } from '../../../../contract/problem.ts';
import { parseQuery } from '../../../../mixins/gateway/routing/query.ts';

const valuesOf = (text: string) => ({ ...parseQuery(text).values });
const faultsOf = (text: string) => parseQuery(text).faults.map(({ path, code }) => [path, code]);

describe('a query is flat strings', () => {
  it.each([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=x+y%2B', { a: 'x y+' }],
    ['a[$ne]=1', { 'a[$ne]': '1' }],
    ['%C3%A9=%E2%82%AC', { é: '€' }],
  ])('%p', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
    expect(faultsOf(text)).toEqual([]);
  });

  it.each([
    ['a=1&a=1', ['a', 'given_twice']],
    ['a=%zz', ['a', 'malformed']],
    ['a=%ff', ['a', 'malformed']],
    ['%zz=1', ['%zz=1', 'malformed']],
    ['a=%00', ['a', 'forbidden_character']],
  ])('%p is a fault', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it('a long name is told in part, without half a character at its end', () => {
    const name = `${'x'.repeat(LONGEST_PATH - 1)}\u{1f600}`;
    const { data } = invalidRequest(parseQuery(`${name}=1&${name}=2&${name}=%00`).faults);
    expect(data.errors?.[0]?.path).toBe(`${'x'.repeat(LONGEST_PATH - 1)}\ufffd`);
  });

  it('reads __proto__ as a name like any other', () => {
    const { values } = parseQuery('__proto__=1&constructor=2');
    expect(Object.keys(values)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('refuses more parameters than any operation has', () => {
    const text = Array.from({ length: 200 }, (_, i) => `p${i}=1`).join('&');
    expect(faultsOf(text)).toEqual([['', 'too_many']]);
  });

  it('reads back what URLSearchParams writes', () => {
    const pairs = fc.dictionary(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((s) => !s.includes('\0')),
      fc.string({ unit: 'grapheme' }).filter((s) => !s.includes('\0')),
      { maxKeys: 20, noNullPrototype: true },
    );
    fc.assert(
      fc.property(pairs, (values) => {
        expect(valuesOf(new URLSearchParams(values).toString())).toEqual(values);
      }),
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseQuery(text)));
  });
});
