import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { compileExpression } from '../aggregation/expression.ts';
import { variablesOf } from '../aggregation/variables.ts';
import { compareValues, equalValues } from '../bson/compare.ts';
import { ValueSet } from '../bson/value-set.ts';
import { toDocument, type Value } from '../bson/values.ts';
import { compilePositions } from '../query/position.ts';
import { type Interval, intersection } from '../storage/bounds.ts';
import { value } from './arbitraries.ts';

const contains = (array: readonly Value[], wanted: Value): boolean =>
  array.some((one) => equalValues(one, wanted));

const distinct = (array: readonly Value[]): Value[] =>
  array.filter((one, i) => !contains(array.slice(0, i), one));

const values = fc.array(value, { maxLength: 12 });

/** Evaluates an operator of sets of literal arrays. */
const evaluate = (name: string, ...arrays: Value[][]): Value | undefined =>
  compileExpression(new Map([[name, arrays.map((array) => new Map([['$literal', array]]))]]))(
    variablesOf(),
  );

describe('a set of values', () => {
  it('has the values that are equal to one of its values', () => {
    fc.assert(
      fc.property(values, values, (added, asked) => {
        const set = new ValueSet(added);
        for (const one of [...asked, ...added]) expect(set.has(one)).toBe(contains(added, one));
      }),
    );
  });

  it('takes each value once', () => {
    fc.assert(
      fc.property(values, (added) => {
        const set = new ValueSet();
        expect(added.filter((one) => set.add(one))).toEqual(distinct(added));
      }),
    );
  });
});

it('operators of sets use the equality of values', () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      const both = distinct(a).filter((one) => contains(b, one));
      expect(evaluate('$setDifference', a, b)).toEqual(
        distinct(a.filter((one) => !contains(b, one))),
      );
      const found = evaluate('$setIntersection', a, b) as Value[];
      expect(found.length).toBe(both.length);
      for (const [i, one] of [...both].sort(compareValues).entries())
        expect(compareValues(found[i] as Value, one)).toBe(0);
      expect(evaluate('$setIsSubset', a, b)).toBe(a.every((one) => contains(b, one)));
    }),
  );
});

it('a condition is compiled once for all documents, however many values it lists', () => {
  const list = Array.from({ length: 100_000 }, (_, i) => i);
  const filter = toDocument({ a: { $in: list } });
  const position = compilePositions(filter);
  for (let n = 0; n < 2000; n++) expect(position(toDocument({ a: ['x', n] }), ['a'])).toBe(1);
});

it('no call spreads an array, because a client may have sized it', () => {
  const folder = join(import.meta.dirname, '..');
  const spread = /\.(push|unshift|splice|concat|max|min|fromCharCode)\([^()[{]*\.\.\./;
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['node_modules', 'test'] });
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => spread.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});

it('bounds meet where both have keys', () => {
  const edges = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 10 });
  const intervals = edges.map((numbers): Interval[] => {
    const sorted = [...numbers].sort((x, y) => x - y);
    return sorted.flatMap((low, i) =>
      i % 2 === 0 && i + 1 < sorted.length
        ? [{ low: Buffer.from([low]), high: Buffer.from([sorted[i + 1] as number]) }]
        : [],
    );
  });
  const within = (all: Interval[], key: Buffer): boolean =>
    all.some(({ low, high }) => Buffer.compare(low, key) <= 0 && Buffer.compare(key, high) < 0);
  fc.assert(
    fc.property(intervals, intervals, (a, b) => {
      const bounds = (all: Interval[]) => ({ intervals: all, points: false, exact: true });
      const met = intersection([bounds(a), bounds(b)])?.intervals ?? [];
      for (let n = 0; n < 31; n++) {
        const key = Buffer.from([n]);
        expect(within(met, key)).toBe(within(a, key) && within(b, key));
      }
    }),
  );
});
