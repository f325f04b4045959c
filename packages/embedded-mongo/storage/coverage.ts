import type { Reads } from '../aggregation/stage.ts';
import { truthy } from '../aggregation/variables.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import type { Path } from '../bson/path.ts';
import { type Document, Regex, type Value } from '../bson/values.ts';
import { type Condition, conditionsOf } from '../query/conditions.ts';
import { valueAt } from '../query/key-generator.ts';
import type { Index } from './catalog.ts';
import type { Plan } from './plan.ts';

interface CoveredQuery {
  filter: Document;
  sort?: Document | undefined;
  reads?: Reads | undefined;
}

/**
 * Returns the function that reduces a document to its key in the plan's index, for a query that MongoDB answers from the
 * index alone; undefined for other queries. A key has null for a field that the document lacks.
 */
export function coverage(
  { index, intervals, sorted }: Plan,
  { filter, sort = new Map(), reads }: CoveredQuery,
): ((document: Document) => Document) | undefined {
  if (!index || !reads) return undefined;
  const paths = new Set([...reads.paths, ...(sorted ? [] : sort.keys())]);
  if (![...paths].every((path) => hasValueOf(index, path))) return undefined;
  const isWhole = intervals.length === 1 && intervals[0]?.low.length === 0;
  if (![filter, ...reads.filters].every((one) => tellsMatches(index, one, isWhole)))
    return undefined;
  const { names, paths: parts } = index.generator;
  const isNested = (path: string): boolean => names.some((name) => name.startsWith(`${path}.`));
  if ([...paths].some(isNested)) return undefined;
  // A path goes to the place of the first field that begins as it does.
  const tops = parts.map(([top]) => top);
  const shown = parts
    .filter((_, at) => paths.has(names[at] ?? ''))
    .sort(([one], [other]) => tops.indexOf(one) - tops.indexOf(other));
  return (document) => {
    const key: Document = new Map();
    for (const path of shown) place(key, path, valueAt(document, path) ?? null);
    return key;
  };
}

function place(key: Document, path: Path, value: Value): void {
  let inner = key;
  for (const name of path.slice(0, -1)) {
    const next = (inner.get(name) ?? new Map()) as Document;
    inner.set(name, next);
    inner = next;
  }
  inner.set(path.at(-1) ?? '', value);
}

/** The array that a path leads through in documents of the index. */
const arrayOf = ({ multikey }: Index, path: string): string | undefined =>
  multikey.size === 0
    ? undefined
    : [...multikey].find((array) => path === array || path.startsWith(`${array}.`));

/** Whether each key has the value of a path. Of an array a key has one element. */
const hasValueOf = (index: Index, path: string): boolean =>
  index.generator.names.includes(path) && arrayOf(index, path) === undefined;

/**
 * Whether keys tell which documents match, as MongoDB decides it. Keys of an array's elements tell one condition on the
 * array. A plan that walks the whole index lets keys tell null as well, and in an index of arrays no condition.
 */
function tellsMatches(index: Index, filter: Document, isWhole: boolean): boolean {
  const conditions = conditionsOf(filter);
  if (!conditions?.every((one) => tells(index, one, isWhole))) return false;
  if (index.multikey.size === 0) return true;
  const arrays = conditions.flatMap(({ path }) => arrayOf(index, path) ?? []);
  return isWhole ? conditions.length === 0 : new Set(arrays).size === arrays.length;
}

/** Whether a key tells if the condition holds: it does not tell null from a missing field, nor an array from its elements. */
function tells(
  index: Index,
  { path, operator, argument, isNegated }: Condition,
  isWhole: boolean,
): boolean {
  if (!index.generator.names.includes(path)) return false;
  const isOfArray = arrayOf(index, path) !== undefined;
  if (isOfArray && isNegated) return false;
  const tellsValue = (value: Value): boolean => {
    if (Array.isArray(value)) return false;
    if (value instanceof Regex) return !isNegated && index.multikey.size === 0;
    return value !== null || isNegated || isWhole;
  };
  switch (operator) {
    case '$eq':
      return tellsValue(argument);
    case '$in':
      return Array.isArray(argument) && argument.every(tellsValue);
    case '$gt':
    case '$lt':
      return !Array.isArray(argument) && !(argument instanceof Regex);
    case '$gte':
    case '$lte':
      return tellsValue(argument) && !(argument instanceof Regex);
    case '$regex':
    case '$mod':
      return !isNegated && index.multikey.size === 0;
    case '$type':
      return !isNegated && !isOfArray && typesOf(argument).every((one) => tellsType(index, one));
    case '$exists':
      return !isNegated && truthy(argument) && index.sparse && index.generator.names.length === 1;
    default:
      return false;
  }
}

const typesOf = (argument: Value): readonly Value[] =>
  Array.isArray(argument) ? argument : [argument];

/** The types that keys do not tell, by their names and numbers: null and undefined are as a missing field. */
const UNTOLD: readonly (number | string)[] = ['null', 10, 'undefined', 6, 'array', 4];
/** The types of numbers. MongoDB reads the documents for them where the index is of arrays. */
const NUMBERS: readonly (number | string)[] = ['double', 1, 'int', 16, 'long', 18, 'decimal', 19];

function tellsType(index: Index, type: Value): boolean {
  const known = isNumeric(type) ? toDouble(type) : String(type);
  return !UNTOLD.includes(known) && !(index.multikey.size > 0 && NUMBERS.includes(known));
}
