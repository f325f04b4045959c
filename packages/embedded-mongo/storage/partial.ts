import { equalValues } from '../bson/compare.ts';
import {
  type Document,
  isCondition,
  isDocument,
  Regex,
  Singular,
  type Value,
} from '../bson/values.ts';
import { compileFilter } from '../query/match.ts';

/**
 * Tells whether a filter implies the filter of a partial index: for each condition of the index it has the same
 * condition, or an equality to a value that fulfils the condition, and not below an $or.
 */
export function implied(partial: Document, filter: Document): boolean {
  const given = conjuncts(filter);
  return conjuncts(partial).every(([path, wanted]) => {
    const matches = compileFilter(new Map([['v', wanted]]));
    return given.some(([name, condition]) => {
      if (name !== path || path.startsWith('$')) return false;
      if (equalValues(condition, wanted)) return true;
      if (wantsType(wanted)) return false;
      if (!isCondition(condition))
        return isScalar(condition) && matches(new Map([['v', condition]]));
      const list = condition.has('$eq') ? [condition.get('$eq') as Value] : condition.get('$in');
      if (Array.isArray(list) && list.length > 0) {
        return list.every((value) => isScalar(value) && matches(new Map([['v', value]])));
      }
      return (
        isExistence(wanted) &&
        ['$gt', '$gte', '$lt', '$lte'].some(
          (o) => condition.has(o) && isScalar(condition.get(o) as Value),
        )
      );
    });
  });
}

/** Returns the paths in the filter of a partial index; undefined when the filter may depend on any path. */
export function fieldsAsked(partial: Document = new Map()): string[] | undefined {
  const paths = conjuncts(partial).map(([path]) => path);
  return paths.some((path) => path.startsWith('$')) ? undefined : paths;
}

/** Tells whether a condition is about the type. Equal numbers may have different types. */
const wantsType = (condition: Value): boolean => isCondition(condition) && condition.has('$type');

const isScalar = (value: Value): boolean =>
  value !== null &&
  !Array.isArray(value) &&
  !isDocument(value) &&
  !(value instanceof Regex || value instanceof Singular);

const isExistence = (condition: Value): boolean =>
  isDocument(condition) && condition.size === 1 && condition.get('$exists') === true;

/** Lists the conditions that must all hold. Each operator on a field is a condition of its own. */
function conjuncts(filter: Document): [string, Value][] {
  const found: [string, Value][] = [];
  for (const [name, condition] of filter) {
    if (name === '$and' && Array.isArray(condition)) {
      for (const clause of condition.filter(isDocument))
        for (const one of conjuncts(clause)) found.push(one);
    } else if (isCondition(condition) && condition.size > 1) {
      for (const [operator, argument] of condition)
        found.push([name, new Map([[operator, argument]])]);
    } else found.push([name, condition]);
  }
  return found;
}
