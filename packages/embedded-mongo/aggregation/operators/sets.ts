import { compareValues } from '../../bson/compare.ts';
import { ValueSet } from '../../bson/value-set.ts';
import type { Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { isNullish, truthy } from '../variables.ts';
import {
  type Argument,
  checkElements,
  fixed,
  type Operator,
  unary,
  variadic,
  wrongType,
} from './arguments.ts';

/** Returns the distinct values in ascending order. */
function distinctValues(values: readonly Value[]): Value[] {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, i) => i === 0 || compareValues(value, sorted[i - 1] as Value) !== 0);
}

const set = (name: string, value: Argument, code: number): Value[] =>
  Array.isArray(value) ? value : wrongType(name, 'arrays', value, code);

function union(args: Argument[]): Value {
  const all: Value[] = [];
  for (const value of args) {
    if (isNullish(value)) return null;
    const added = set('$setUnion', value, 17043);
    checkElements(all.length + added.length);
    for (const element of added) all.push(element);
  }
  return distinctValues(all);
}

function isIn(values: readonly Value[]): (value: Value) => boolean {
  const known = new ValueSet(values);
  return (value) => known.has(value);
}

/** Intersects arrays in their order, and ends with the first that leaves nothing, as MongoDB does. */
function intersection(args: Argument[]): Value {
  let common: Value[] | undefined;
  for (const value of args) {
    if (isNullish(value)) return null;
    const next = set('$setIntersection', value, 17047);
    common = common ? common.filter(isIn(next)) : next;
    if (common.length === 0) break;
  }
  return distinctValues(common ?? []);
}

/** Returns the distinct values of the first array that the second does not have, in the order of the first array. */
function difference([a, b]: Argument[]): Value {
  if (isNullish(a) || isNullish(b)) return null;
  const all = set('$setDifference', a, 17048);
  const seen = new ValueSet(set('$setDifference', b, 17049));
  return all.filter((value) => seen.add(value));
}

function isSubset([a, b]: Argument[]): Value {
  const all = set('$setIsSubset', a, 17046);
  const other = new ValueSet(set('$setIsSubset', b, 17042));
  return all.every((value) => other.has(value));
}

function equals(args: Argument[]): Value {
  const [first = [], ...others] = args.map((value) =>
    distinctValues(set('$setEquals', value, 17044)),
  );
  return others.every((other) => compareValues(first, other) === 0);
}

const setEquals: Operator['build'] = (argument, compile) => {
  const given = Array.isArray(argument) ? argument.length : 1;
  if (given < 2) fail(17045, `$setEquals needs at least two arguments had: ${given}`);
  const [, operator] = variadic('$setEquals', equals);
  return operator.build(argument, compile);
};

export const SETS: [string, Operator][] = [
  variadic('$setUnion', union),
  variadic('$setIntersection', intersection),
  fixed('$setDifference', 2, difference),
  fixed('$setIsSubset', 2, isSubset),
  ['$setEquals', { build: setEquals }],
  unary('$anyElementTrue', (value) => set('$anyElementTrue', value, 17041).some(truthy)),
  unary('$allElementsTrue', (value) => set('$allElementsTrue', value, 17040).every(truthy)),
];
