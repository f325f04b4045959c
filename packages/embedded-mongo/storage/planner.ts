import { equalValues } from '../bson/compare.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import { type Document, isDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import {
  type Bounds,
  type Demands,
  demandsOf,
  descendingIntervals,
  EVERYTHING,
  type Interval,
  intersection,
  point,
} from './bounds.ts';
import type { Collection, Index } from './catalog.ts';
import type { Connection } from './connection.ts';
import { implied } from './partial.ts';
import { isSingle, type Plan } from './plan.ts';
import { type Candidate, chooseCandidate } from './plan-choice.ts';

interface PlanRequest {
  filter: Document;
  sort: Document | undefined;
  hint?: Value | undefined;
}

const MAX_INTERVALS = 50_000;

/** Plans a query. Of several indexes it chooses the index with the fewest entries to read, as far as a short count shows. */
export function planQuery(
  connection: Connection,
  collection: Collection,
  { filter, sort, hint }: PlanRequest,
): Plan {
  const natural = naturalOrder(sort) ?? (isDocument(hint) ? naturalOrder(hint) : undefined);
  if (natural !== undefined) {
    return { ...scanOf(filter), backward: natural < 0, sorted: !sort || sort.has('$natural') };
  }
  const byId = sort || hint !== undefined ? undefined : planById(collection, filter);
  if (byId) return byId;
  const demands = demandsOf(filter);
  const indexes = hint === undefined ? collection.indexes : [hinted(collection, hint)];
  const candidates: Candidate[] = [];
  for (const index of indexes) {
    if (!usable(index, demands, filter) && hint === undefined) continue;
    const candidate = planIndex(index, demands, sort);
    if (hint !== undefined || isSingle(candidate.plan)) return candidate.plan;
    if (candidate.score > 0) candidates.push(candidate);
  }
  const best = chooseCandidate(connection, candidates);
  return best?.plan ?? { ...scanOf(filter), sorted: sort === undefined };
}

/** Returns the value of an equality or of an $in with one value. */
function onlyOf(condition: Value | undefined): Value | undefined {
  const list = isDocument(condition) && condition.size === 1 ? condition.get('$in') : undefined;
  return Array.isArray(list) && list.length === 1 ? list[0] : condition;
}

/** Plans a filter with one `_id` that is a number or a string. The rest of the filter does not matter for the plan. */
function planById(collection: Collection, filter: Document): Plan | undefined {
  const id = onlyOf(filter.get('_id'));
  if (typeof id !== 'string' && !isNumeric(id)) return undefined;
  const index = collection.indexes.find((one) => one.isId());
  if (!index) return undefined;
  const exact = filter.size === 1;
  return { index, intervals: [point(id)], backward: false, sorted: true, exact, unique: true };
}

const scanOf = (filter: Document): Plan => ({
  index: undefined,
  intervals: [EVERYTHING],
  backward: false,
  sorted: true,
  exact: filter.size === 0,
  unique: false,
});

function naturalOrder(sort: Document | undefined): number | undefined {
  const direction = sort?.get('$natural');
  return isNumeric(direction) ? toDouble(direction) : undefined;
}

function hinted(collection: Collection, hint: Value): Index {
  const [index, another] = collection.indexes.filter(({ name, key }) =>
    isDocument(hint)
      ? equalValues(key, hint) && [...key.keys()].join() === [...hint.keys()].join()
      : name === hint,
  );
  if (another) fail('BadValue', 'Hint matches multiple indexes, must hint by index name.');
  return (
    index ??
    fail(
      'BadValue',
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    )
  );
}

/** Tells whether the index has every document that can match. */
function usable(index: Index, demands: Demands, filter: Document): boolean {
  if (index.partialFilter) return implied(index.partialFilter, filter);
  if (!index.sparse) return true;
  return index.generator.names.some(
    (name) =>
      demands.fields.get(name)?.some(({ intervals }) => !intervals.some(holdsNull)) ?? false,
  );
}

/** Tells whether an interval has the key of null, whose rank is 5. A missing field has the same key. */
const holdsNull = ({ low, high }: Interval): boolean => (low[0] ?? 0) <= 5 && (high[0] ?? 255) >= 5;

function planIndex(index: Index, demands: Demands, sort: Document | undefined): Candidate {
  const { names, descending } = index.generator;
  let prefixes: Interval[] = [{ low: Buffer.alloc(0), high: EVERYTHING.high }];
  let equalities = 0;
  let bounded = 0;
  let exact = demands.complete && index.multikey.size === 0;
  for (const [i, name] of names.entries()) {
    const bounds = fieldBounds(index, i, demands, bounded);
    if (!bounds || prefixes.length * bounds.intervals.length > MAX_INTERVALS) break;
    const intervals = descending[i] ? descendingIntervals(bounds.intervals) : bounds.intervals;
    prefixes = prefixes.flatMap(({ low }) =>
      intervals.map((interval) => ({
        low: Buffer.concat([low, interval.low]),
        high: Buffer.concat([low, interval.high]),
      })),
    );
    bounded++;
    exact &&= (demands.fields.get(name) as Bounds[]).every((one) => one.exact);
    if (!bounds.points) break;
    equalities++;
  }
  exact &&= bounded === demands.fields.size;
  const order = sort && sortDirection(index, sort, equalities, prefixes.length);
  const sorted = !sort || order !== undefined;
  const unique =
    index.unique &&
    equalities === names.length &&
    !descending.some(Boolean) && // there an interval may begin before its key
    !index.partialFilter &&
    index.multikey.size === 0;
  const plan = { index, intervals: prefixes, backward: order === -1, sorted, exact, unique };
  return {
    plan,
    index,
    boundFields: names.slice(0, bounded),
    maxEntries: unique ? prefixes.length : Number.POSITIVE_INFINITY,
    score:
      equalities * 40 +
      (bounded > equalities ? 20 : 0) +
      (sort && sorted ? 15 : 0) +
      (isSingle(plan) ? 50 : 0),
  };
}

/**
 * Returns the bounds of an index's field, or undefined. In an index of arrays different elements may fulfil a document's
 * conditions: then only one of a field's conditions counts, and only the first of the fields that lead through one array.
 */
function fieldBounds(
  index: Index,
  i: number,
  demands: Demands,
  bounded: number,
): Bounds | undefined {
  const name = index.generator.names[i] as string;
  const all = demands.fields.get(name);
  if (!all) return undefined;
  const arrays = [...index.multikey].filter((path) => within(name, path));
  const earlier = index.generator.names.slice(0, bounded);
  if (arrays.some((path) => earlier.some((other) => within(other, path)))) return undefined;
  if (arrays.length === 0) return intersection(all);
  return all.find(({ points }) => points) ?? all[0];
}

const within = (name: string, path: string): boolean =>
  name === path || name.startsWith(`${path}.`);

/**
 * Returns the direction, 1 or -1, in which the index has the sort's order; undefined for neither. Fields with an
 * equality do not matter for the order.
 */
function sortDirection(
  index: Index,
  sort: Document,
  equalities: number,
  intervals: number,
): 1 | -1 | undefined {
  if (index.multikey.size > 0) return undefined;
  if (intervals !== 1 && equalities > 0) return undefined;
  const { names, descending } = index.generator;
  const fixed = names.slice(0, equalities);
  const wanted = [...sort].filter(([name]) => !fixed.includes(name));
  for (const way of [1, -1] as const) {
    const fits = wanted.every(([name, direction], i) => {
      const down = isNumeric(direction) && toDouble(direction) < 0;
      const at = equalities + i;
      return names[at] === name && (descending[at] !== down) === (way === -1);
    });
    if (fits) return way;
  }
  return undefined;
}
