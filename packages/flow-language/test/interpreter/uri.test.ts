import fc from 'fast-check';
import { computedAddress, expandUri } from '../../interpreter/http/uri.ts';
import { FlowError } from '../../interpreter/problem.ts';

const ORIGIN = 'https://a.test';

describe('a segment of dots', () => {
  test.each([
    ['/{a}', { a: '.' }],
    ['/{a}', { a: '..' }],
    ['/x/{a}/y', { a: '..' }],
    ['/.{a}', { a: '.' }],
    ['/{a}.', { a: '.' }],
    ['/{a}{b}', { a: '.', b: '.' }],
    ['/%2e{a}', { a: '.' }],
    ['/{a}%2E', { a: '.' }],
    ['/x\\{a}', { a: '..' }],
    ['/.\t{a}', { a: '.' }],
    ['/{a} ', { a: '..' }],
    ['/{a}?q=1', { a: '..' }],
    ['/{a}#f', { a: '..' }],
    ['/{a?}', { 'a?': '..' }],
  ])('is refused: %s with %j', (template, input) => {
    expect(() => expandUri(ORIGIN + template, input)).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ title: 'TARGET_REFUSED', status: 400 }),
      }),
    );
  });

  test.each([
    ['/{a}', { a: '...' }, '/...'],
    ['/v{a}', { a: '..' }, '/v..'],
    ['/{a}', { a: '%2e%2e' }, '/%252e%252e'],
    ['/{a}', { a: '../..' }, '/..%2F..'],
    ['/{a}{b}', { a: '.', b: 'x' }, '/.x'],
    ['/x/{a}?up={up}#{up}', { a: '1', up: '..' }, '/x/1?up=..#..'],
    ['/x/../y/{a}', { a: '1' }, '/x/../y/1'], // as the author wrote it
  ])('is not %s with %j', (template, input, expected) => {
    expect(expandUri(ORIGIN + template, input)).toBe(ORIGIN + expected);
  });
});

describe('a field of the path', () => {
  test.each([
    ['/{a}', {}],
    ['/{a}', { a: null }],
    ['/{a}', { a: '' }],
    ['/v{a}/x', {}],
    ['/{a}', null],
    ['/{a}', ['x']],
    ['/{a}{none}', { a: '..' }],
    ['/{toString}', {}],
  ])('without a value is refused: %s with %j', (template, input) => {
    expect(() => expandUri(ORIGIN + template, input)).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ title: 'EXPRESSION_FAILED', status: 400 }),
      }),
    );
  });

  test.each([
    ['?r={none}', {}, ''],
    ['?r={none}#f', {}, '#f'],
    ['?r={none}&q={a}', { a: 1 }, '?q=1'],
    ['?q={a}&r={none}&s=2', { a: 1 }, '?q=1&s=2'],
    ['?r={none}&r={none}', { none: null }, ''],
    ['?q={a}', { a: '' }, '?q='],
    ['?q=x{none}&{none}=1&r=', {}, '?q=x&=1&r='],
    ['?q={a}', { a: '&b=c' }, '?q=%26b%3Dc'],
  ])('of a query is left out: %s with %j', (query, input, expected) => {
    expect(expandUri(`${ORIGIN}/x${query}`, input)).toBe(`${ORIGIN}/x${expected}`);
  });

  test.each([
    undefined,
    null,
    '',
    'https://a.test//x',
    'https://a.test/x//y?q=1',
    'https://a.test/x\\\\y',
  ])('of a computed endpoint is refused: %s', (endpoint) => {
    expect(() => computedAddress(endpoint)).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ title: 'EXPRESSION_FAILED', status: 400 }),
      }),
    );
  });

  test.each([
    'https://a.test',
    'https://a.test/x/',
    'https://a.test/?u=https://b.test',
    'no address',
    5,
  ])('is not in %s', (endpoint) => {
    expect(computedAddress(endpoint)).toBe(endpoint);
  });

  test('may be 0 or false, and is empty behind the path', () => {
    const input = { a: 0, b: false, c: '' };
    expect(expandUri(`${ORIGIN}/{a}/{b}?q={c}&r={none}#{c}`, input)).toBe(`${ORIGIN}/0/false?q=#`);
  });
});

/** Parts of a template and values from which segments of dots are made. */
const part = fc.constantFrom(
  '{a}',
  '{b}',
  '{none}',
  '.',
  '%2e',
  '%2E',
  'x',
  '/',
  '/',
  '\\',
  '\t',
  ' ',
);
const value = fc.oneof(
  fc.constantFrom('.', '..', '', '%2e', '/', '/..', '\\', '?', '#', '\t', ' '),
  fc.string(),
);

const REFUSALS = ['TARGET_REFUSED', 'EXPRESSION_FAILED'];

test('no value changes which segments of the template the path has', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), value, value, (parts, a, b) => {
      const template = `${ORIGIN}/first/${parts.join('')}/last`;
      const segmentsOf = (url: string) => new URL(url).pathname.split('/');
      // The same template with a text that is no dot in place of each field.
      const expected = segmentsOf(template.replaceAll(/\{\w+\}/g, 'field'));
      let url: string;
      try {
        url = expandUri(template, { a, b });
      } catch (error) {
        if (error instanceof FlowError && REFUSALS.includes(error.problem.title)) return;
        throw error;
      }
      expect(segmentsOf(url)).toHaveLength(expected.length);
      expect(segmentsOf(url).at(-1)).toBe(expected.at(-1));
    }),
    { numRuns: 2_000 },
  );
});

test('a value without dots is never refused', () => {
  const plain = fc
    .string({ minLength: 1 })
    .filter((text) => text.isWellFormed() && !/^\.+$/.test(text));
  fc.assert(
    fc.property(plain, (a) => {
      const url = expandUri(`${ORIGIN}/first/{a}/last`, { a });
      expect(decodeURIComponent(url)).toBe(`${ORIGIN}/first/${a}/last`);
      expect(new URL(url).pathname.split('/')).toHaveLength(4);
    }),
  );
});
