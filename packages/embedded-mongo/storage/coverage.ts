import type { Reads } from '../aggregation/stage.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import { type Document, isCondition, isDocument, Regex, type Value } from '../bson/values.ts';
import { truthy } from '../aggregation/variables.ts';
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
  const tops = parts.map(([top]) => top);
  const shown = parts
    .filter((_, at) => paths.has(names[at] ?? ''))
    .sort(([one], [other]) => tops.indexOf(one) - tops.indexOf(other));
  const isNested = (path: string): boolean => names.some((name) => name.startsWith(`${path}.`));
  if (shown.length < paths.size || [...paths].some(isNested)) return undefined;
  return (document) => {
    const key: Document = new Map();
    for (const path of shown) place(key, path, valueAt(document, path) ?? null);
    return key;
  };
}

function place(key: Document, [name = '', ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) {
    key.set(name, value);
    return;
  }
  const inner = key.get(name) ?? new Map<string, Value>();
  key.set(name, inner);
  place(inner as Document, rest, value);
}

/** The array that a path leads through in documents of the index. */
const arrayOf = (index: Index, path: string): string | undefined =>
  [...index.multikey].find((array) => path === array || path.startsWith(`${array}.`));

/** Whether each key has the value of a path. Of an array a key has one element. */
const hasValueOf = (index: Index, path: string): boolean =>
  index.generator.names.includes(path) && arrayOf(index, path) === undefined;

/** A condition on one path. */
interface Condition {
  path: string;
  operator: string;
  argument: Value;
  isNegated: boolean;
}

/**
 * Whether keys tell which documents match, as MongoDB decides it. Keys of an array's elements tell one condition on the
 * array. A plan that walks the whole index lets keys tell null as well, and in an index of arrays no condition.
 */
function tellsMatches(index: Index, filter: Document, isWhole: boolean): boolean {
  const conditions = [...conditionsOf(filter, false)];
  if (isWhole && index.multikey.size > 0) return conditions.length === 0;
  const arrays = conditions.flatMap((one) => (one && arrayOf(index, one.path)) ?? []);
  return (
    new Set(arrays).size === arrays.length &&
    conditions.every((one) => one !== undefined && tells(index, one, isWhole))
  );
}

/** The conditions that must all hold; undefined in place of what is not a condition on one path. */
function* conditionsOf(
  filter: Document,
  isNegated: boolean,
): Generator<Condition | undefined, void> {
  if (isNegated && filter.size > 1) yield undefined;
  for (const [name, value] of filter) {
    if (!name.startsWith('$')) yield* fieldConditions(name, value, isNegated);
    else if (name !== '$comment') yield* combined(name, value, isNegated);
  }
}

function* combined(
  name: string,
  value: Value,
  isNegated: boolean,
): Generator<Condition | undefined, void> {
  const parts = Array.isArray(value) ? value.filter(isDocument) : [];
  const isEach = isNegated ? name === '$or' : name === '$and' || name === '$nor';
  if (name === '$expr' && !isNegated) yield* expressionConditions(value);
  else if (isEach || (parts.length === 1 && ['$and', '$or'].includes(name)))
    for (const part of parts) yield* conditionsOf(part, isNegated || name === '$nor');
  else if (name === '$or') yield* alternatives(parts);
  else yield undefined;
}

/** An $or of conditions on one path is the union of what each of them finds. */
function* alternatives(parts: readonly Document[]): Generator<Condition | undefined, void> {
  const all = parts.map((part) => [...conditionsOf(part, false)]);
  const path = all[0]?.[0]?.path;
  const single = all.flatMap(([one, another]) => (one && !another && !one.isNegated ? one : []));
  const isOf = (operators: readonly string[]): boolean =>
    single.length === all.length &&
    single.every((one) => one.path === path && operators.includes(one.operator));
  if (path !== undefined && isOf(EQUALITIES))
    yield {
      path,
      operator: '$in',
      argument: single.flatMap(({ operator, argument }) =>
        operator === '$in' && Array.isArray(argument) ? argument : [argument],
      ),
      isNegated: false,
    };
  else if (isOf([...EQUALITIES, ...OTHERS])) yield* single;
  else yield undefined;
}

const EQUALITIES = ['$eq', '$in'];
const OTHERS = ['$gt', '$gte', '$lt', '$lte', '$type', '$mod', '$regex'];

/** MongoDB makes a condition of an equality of a field and a constant. Other expressions need the document. */
function* expressionConditions(expression: Value): Generator<Condition | undefined, void> {
  if (typeof expression === 'boolean' || isNumeric(expression)) {
    if (!truthy(expression)) yield undefined;
    return;
  }
  const pair = isDocument(expression) && expression.size === 1 ? expression.get('$eq') : undefined;
  const [field, argument = null] = Array.isArray(pair) && pair.length === 2 ? pair : [];
  const isPath = typeof field === 'string' && /^\$[^$]/.test(field);
  const isConstant = typeof argument === 'boolean' || isNumeric(argument);
  if (!isPath || !isConstant) yield undefined;
  else yield { path: field.slice(1), operator: '$eq', argument, isNegated: false };
}

function* fieldConditions(
  path: string,
  condition: Value,
  isNegated: boolean,
): Generator<Condition | undefined, void> {
  if (!isCondition(condition)) yield { path, operator: '$eq', argument: condition, isNegated };
  else {
    if (isNegated && condition.size > 1) yield undefined;
    for (const [operator, argument] of condition) {
      if (operator === '$ne' || operator === '$nin') {
        const positive = operator === '$ne' ? '$eq' : '$in';
        yield isNegated ? undefined : { path, operator: positive, argument, isNegated: true };
      } else if (operator === '$not') {
        const isPlain = isNegated || !isCondition(argument);
        if (isPlain) yield undefined;
        else yield* fieldConditions(path, argument, true);
      } else if (operator === '$all' && Array.isArray(argument)) {
        if (argument.length === 0 || (isNegated && argument.length > 1)) yield undefined;
        for (const one of argument) yield* fieldConditions(path, one, isNegated);
      } else if (operator !== '$options') yield { path, operator, argument, isNegated };
    }
  }
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
