import * as fc from 'fast-check';
import { fitValue } from '../../../services/tools/fit-value.ts';

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a value that fits stays as it is', () => {
  const value = { id: 1, text: 'short', list: [1, 2, 3] };
  expect(fitValue(value, 200)).toEqual({ value, cuts: [] });
});

test('a long text is cut, and the small fields beside it stay whole', () => {
  const { value, cuts } = fitValue({ id: 7, name: 'A run', output: 'x'.repeat(10_000) }, 1_000);
  expect(value).toMatchObject({ id: 7, name: 'A run', output: expect.stringMatching(/^x+…$/) });
  expect(sizeOf(value)).toBeGreaterThan(900);
  expect(cuts).toEqual([expect.stringMatching(/^output has its first \d+ of 10000 characters$/)]);
});

test('a long list has its first items, whole', () => {
  const { value, cuts } = fitValue(
    { items: Array.from({ length: 500 }, (_, id) => ({ id })) },
    500,
  );
  const { items } = value as { items: unknown[] };
  expect(items[0]).toEqual({ id: 0 });
  expect(items.length).toBeGreaterThan(30);
  expect(cuts).toEqual([`items has its first ${items.length} of 500 items`]);
});

test('the first item is cut where it alone is too long', () => {
  const { value, cuts } = fitValue([{ text: 'é'.repeat(5_000) }, { text: 'b' }], 300);
  expect(value).toEqual([{ text: expect.stringMatching(/^é+…$/) }]);
  expect(cuts).toEqual([
    expect.stringContaining('[0].text has its first'),
    'the list has its first 1 of 2 items',
  ]);
});

test('an object with more names than there is room for has its first ones', () => {
  const object = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`name${at}`, at]));
  const { value, cuts } = fitValue(object, 1_000);
  expect(Object.keys(value as object)[0]).toBe('name0');
  expect(cuts[0]).toMatch(/^the object has its first \d+ of 1000 fields$/);
});

test('any value of JSON fits, whatever it has inside', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.integer({ min: 64, max: 400 }),
      (value, bytes) => {
        const fitted = fitValue(value, bytes);
        expect(sizeOf(fitted.value)).toBeLessThanOrEqual(bytes);
        expect(fitted.cuts.length > 0).toBe(sizeOf(value) > bytes);
      },
    ),
    { numRuns: 2_000 },
  );
});
