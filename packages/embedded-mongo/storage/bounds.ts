import { RANK, rankOf } from '../bson/compare.ts';
import { inverted, keyAfter, keyOf, NUMBERS, stringPrefixKey } from '../bson/keys.ts';
import { isNaNValue, isNumeric } from '../bson/numbers.ts';
import {
  type Document,
  isCondition,
  isDocument,
  Regex,
  Singular,
  UNDEFINED,
  type Value,
} from '../bson/values.ts';
import { literalPrefix } from '../query/regex/regex.ts';

/** A range of keys from `low` (included) to `high` (excluded). */
export interface Interval {
  low: Buffer;
  high: Buffer;
}

/** The ranges of one field's keys in which a matching document must have a key. They are sorted and disjoint. */
export interface Bounds {
  intervals: Interval[];
  /** Whether each interval is one value. */
  points: boolean;
  /** Whether every key within the bounds fulfils the condition, if the document has no array there. */
  exact: boolean;
}

/** The conditions of a filter on its fields that indexes can serve. All of them must hold. */
export interface Demands {
  fields: Map<string, Bounds[]>;
  /** Whether the demands have every condition of the filter. */
  complete: boolean;
}

/** Values of an $in that become bounds. A longer $in makes no bounds. */
const MAX_POINTS = 50_000;

export function demandsOf(filter: Document): Demands {
  const demands: Demands = { fields: new Map(), complete: true };
  collect(filter, '', demands);
  return demands;
}

function collect(filter: Document, prefix: string, demands: Demands): void {
  for (const [name, condition] of filter) {
    if (name === '$and' && Array.isArray(condition)) {
      for (const clause of condition) if (isDocument(clause)) collect(clause, prefix, demands);
    } else if (name === '$comment') continue;
    else if (name === '$or' && Array.isArray(condition)) {
      demands.complete = false;
      alternatives(condition.filter(isDocument), prefix, demands);
    } else if (name.startsWith('$')) demands.complete = false;
    else field(prefix + name, condition, demands);
  }
}

/**
 * Adds bounds for the fields that every branch of an $or has: the union of the branches' bounds. Of several conditions
 * in a branch only the first counts, because different elements of an array may fulfil them.
 */
function alternatives(branches: readonly Document[], prefix: string, demands: Demands): void {
  const all = branches.map((branch) => {
    const own: Demands = { fields: new Map(), complete: true };
    collect(branch, prefix, own);
    return own.fields;
  });
  for (const path of all[0]?.keys() ?? []) {
    const bounds = all.map((fields) => fields.get(path)?.[0]);
    const known = bounds.filter((one) => one !== undefined);
    if (known.length < bounds.length) continue;
    const intervals = union(
      known.flatMap((one) => one.intervals),
      true,
    );
    add(path, { intervals, points: false, exact: false }, demands);
  }
}

function add(path: string, bounds: Bounds, demands: Demands): void {
  const known = demands.fields.get(path);
  if (known) known.push(bounds);
  else demands.fields.set(path, [bounds]);
}

function field(path: string, condition: Value, demands: Demands): void {
  const conditions: [string, Value][] = isCondition(condition)
    ? [...condition]
    : [['$in', [condition]]];
  const options = isCondition(condition) ? condition.get('$options') : undefined;
  for (const [operator, argument] of conditions) {
    if (operator === '$elemMatch' && isDocument(argument)) {
      // Each matching element has its own keys, which are within these bounds.
      if (isCondition(argument)) field(path, argument, demands);
      else collect(argument, `${path}.`, demands);
      demands.complete = false;
      continue;
    }
    const bounds = boundsOf(operator, argument, options);
    if (!bounds) {
      demands.complete = false;
      continue;
    }
    if (!bounds.exact) demands.complete = false;
    add(path, bounds, demands);
  }
}

function boundsOf(
  operator: string,
  argument: Value,
  options: Value | undefined,
): Bounds | undefined {
  switch (operator) {
    case '$eq':
      if (argument instanceof Regex)
        return { intervals: [point(argument)], points: true, exact: false };
      return pointsOf([argument]);
    case '$in':
      return Array.isArray(argument) && argument.length <= MAX_POINTS
        ? pointsOf(argument)
        : undefined;
    case '$all':
      return Array.isArray(argument) && argument.length > 0
        ? inexact(pointsOf(argument.slice(0, 1)))
        : undefined;
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return rangeOf(operator, argument);
    case '$exists':
      // A document without the field has the key of null, and so has one where no element of an array has the field.
      return argument === false
        ? { intervals: [point(null)], points: true, exact: false }
        : undefined;
    case '$regex':
      if (argument instanceof Regex)
        return options === undefined ? pointsOf([argument]) : undefined;
      return typeof argument === 'string' && options === undefined
        ? pointsOf([new Regex(argument, '')])
        : undefined;
  }
  return undefined;
}

const inexact = (bounds: Bounds | undefined): Bounds | undefined =>
  bounds && { ...bounds, exact: false };

/** Makes the bounds of values. An array has no bounds: it may equal a whole array, of which an index has no key. */
function pointsOf(values: readonly Value[]): Bounds | undefined {
  const intervals: Interval[] = [];
  let exact = true;
  let points = true;
  for (const value of values) {
    if (Array.isArray(value) || isCondition(value)) return undefined;
    intervals.push(point(value));
    if (value === null) intervals.push(point(UNDEFINED));
    if (value === null || value instanceof Singular) exact = false;
    if (!(value instanceof Regex)) continue;
    const prefix = literalPrefix(value);
    if (prefix === '') return undefined;
    const low = stringPrefixKey(prefix);
    intervals.push({ low, high: keyAfter(low) });
    exact = false;
    points = false;
  }
  return { intervals: union(intervals), points, exact };
}

/** Returns the interval of one value's keys. */
export function point(value: Value): Interval {
  const low = keyOf([value]);
  return { low, high: keyAfter(low) };
}

function rangeOf(operator: string, argument: Value): Bounds | undefined {
  if (Array.isArray(argument) || argument instanceof Singular || argument instanceof Regex)
    return undefined;
  if (argument === null || isDocument(argument)) return undefined;
  if (isNumeric(argument) && isNaNValue(argument)) return undefined;
  const rank = rankOf(argument);
  const key = keyOf([argument]);
  const bracket = {
    low: rank === RANK.number ? NUMBERS : Buffer.from([rank]),
    high: Buffer.from([rank + 1]),
  };
  const interval = {
    $gt: { low: keyAfter(key), high: bracket.high },
    $gte: { low: key, high: bracket.high },
    $lt: { low: bracket.low, high: key },
    $lte: { low: bracket.low, high: keyAfter(key) },
  }[operator] as Interval;
  return { intervals: nonEmpty(interval), points: false, exact: true };
}

const nonEmpty = (interval: Interval): Interval[] =>
  Buffer.compare(interval.low, interval.high) < 0 ? [interval] : [];

/** Sorts intervals and merges overlapping intervals. With `joining`, adjacent intervals are merged as well. */
function union(intervals: Interval[], joining = false): Interval[] {
  if (intervals.length < 2) return intervals;
  const sorted = [...intervals].sort((a, b) => Buffer.compare(a.low, b.low));
  const merged: Interval[] = [];
  for (const interval of sorted) {
    const last = merged.at(-1);
    if (last && Buffer.compare(interval.low, last.high) < (joining ? 1 : 0)) {
      if (Buffer.compare(interval.high, last.high) > 0) last.high = interval.high;
    } else merged.push({ ...interval });
  }
  return merged;
}

/** Returns the keys that are within all bounds. Short bounds come first, so that long ones are looked at once. */
export const intersection = (all: readonly Bounds[]): Bounds | undefined =>
  all.length < 2
    ? all[0]
    : [...all].sort((a, b) => a.intervals.length - b.intervals.length).reduce(meet);

/** Returns the keys that are within both bounds. Both are sorted, so each interval is looked at once. */
function meet(a: Bounds, b: Bounds): Bounds {
  const intervals: Interval[] = [];
  let [i, j] = [0, 0];
  while (i < a.intervals.length && j < b.intervals.length) {
    const [x, y] = [a.intervals[i] as Interval, b.intervals[j] as Interval];
    const low = Buffer.compare(x.low, y.low) > 0 ? x.low : y.low;
    const order = Buffer.compare(x.high, y.high);
    const high = order < 0 ? x.high : y.high;
    if (Buffer.compare(low, high) < 0) intervals.push({ low, high });
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return { intervals, points: a.points || b.points, exact: a.exact && b.exact };
}

/**
 * Returns the intervals of the same values in a descending field, whose keys are inverted byte by byte. No key is the
 * beginning of another key, so the keys below `high` begin after the inverted `high`.
 */
export function descendingIntervals(intervals: readonly Interval[]): Interval[] {
  return intervals
    .map(({ low, high }) => ({ low: keyAfter(inverted(high)), high: keyAfter(inverted(low)) }))
    .reverse();
}

export const EVERYTHING: Interval = { low: Buffer.alloc(0), high: Buffer.from([255, 255]) };
