import { compareValues } from '../../bson/compare.ts';
import { ValueSet } from '../../bson/value-set.ts';
import type { Value } from '../../bson/values.ts';
import { isNullish, truthy } from '../variables.ts';
import { type Argument, type Operator, positional, unary, wrongType } from './arguments.ts';

/** Returns the distinct values in ascending order. */
export function distinctValues(values: readonly Value[]): Value[] {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, i) => i === 0 || compareValues(value, sorted[i - 1] as Value) !== 0);
}

const set = (name: string, value: Argument, code: number): Value[] =>
  Array.isArray(value) ? value : wrongType(name, 'arrays', value, code);

function union(args: Argument[]): Value {
  if (args.some(isNullish)) return null;
  return distinctValues(args.flatMap((value) => set('$setUnion', value, 17043)));
}

function intersection(args: Argument[]): Value {
  if (args.some(isNullish)) return null;
  const [first = [], ...others] = args.map((value) => set('$setIntersection', value, 17047));
  const sets = others.map((other) => new ValueSet(other));
  return distinctValues(first.filter((value) => sets.every((other) => other.has(value))));
}

/** Returns the distinct values of the first array that the second does not have, in the order of the first array. */
function difference([a, b]: Argument[]): Value {
  if (isNullish(a) || isNullish(b)) return null;
  const seen = new ValueSet(set('$setDifference', b, 17049));
  return set('$setDifference', a, 17048).filter((value) => seen.add(value));
}

function isSubset([a, b]: Argument[]): Value {
  const other = new ValueSet(set('$setIsSubset', b, 17042));
  return set('$setIsSubset', a, 17046).every((value) => other.has(value));
}

function equals(args: Argument[]): Value {
  const [first = [], ...others] = args.map((value) =>
    distinctValues(set('$setEquals', value, 17044)),
  );
  return others.every((other) => compareValues(first, other) === 0);
}

export const SETS: [string, Operator][] = [
  positional('$setUnion', 0, Number.POSITIVE_INFINITY, union),
  positional('$setIntersection', 0, Number.POSITIVE_INFINITY, intersection),
  positional('$setDifference', 2, 2, difference),
  positional('$setIsSubset', 2, 2, isSubset),
  positional('$setEquals', 2, Number.POSITIVE_INFINITY, equals),
  unary('$anyElementTrue', (value) => set('$anyElementTrue', value, 17041).some(truthy)),
  unary('$allElementsTrue', (value) => set('$allElementsTrue', value, 17040).every(truthy)),
];
