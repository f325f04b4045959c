import fc from 'fast-check';
import type { Json } from '../../packages/flow-language/plan.ts';
import { differenceOf } from '../../services/flows/transformations/difference.ts';

const paths = (expected: Json, actual: Json | undefined) =>
  differenceOf(expected, actual)?.paths.map(({ path, ...values }) => [
    path,
    values.expected,
    values.actual,
  ]) ?? null;

test('names each place with what was expected and what came', () => {
  expect(
    paths(
      { a: [1, { b: 'x' }], 'c/d~e': 1, gone: null, same: {} },
      { same: {}, a: [1, { b: 2 }, 3], 'c/d~e': '1' },
    ),
  ).toEqual([
    ['/a/1/b', '"x"', '2'],
    ['/a/2', null, '3'],
    ['/c~1d~0e', '1', '"1"'],
    ['/gone', 'null', null],
  ]);
});

test('names the whole value where its kind is another one, and where there is none', () => {
  expect(paths([1], { 0: 1 })).toEqual([['', '[1]', '{"0":1}']]);
  expect(paths(null, undefined)).toEqual([['', 'null', null]]);
  expect(paths({ __proto__: null, a: 1 } as never, { a: 1 })).toBeNull();
});

test('is bounded in paths, in the length of values, and in depth', () => {
  const many = differenceOf(Array(1_000).fill('x'.repeat(500)), Array(1_000).fill('y'));
  expect([many?.paths.length, many?.more]).toEqual([10, true]);
  expect(many?.paths[0]?.expected?.length).toBe(121);
  let [one, other]: Json[] = [1, 2];
  for (let n = 0; n < 90; n++) [one, other] = [[one ?? 0], [other ?? 0]];
  expect(paths(one ?? 0, other ?? 0)?.[0]?.[0]).toBe('/0'.repeat(20));
});

test('is null for equal values, in any order of members, and only for these', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(json, json, (one: Json, other: Json) => {
      const isSame = differenceOf(one, other) === null;
      expect(differenceOf(one, reordered(one))).toBeNull();
      expect(isSame).toBe(differenceOf(other, one) === null);
      if (isSame) expect(one).toEqual(other);
    }),
  );
});

function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, member]) => [name, reordered(member)]));
}
