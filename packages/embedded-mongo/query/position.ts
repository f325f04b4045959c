import { type Path, valueAt } from '../bson/path.ts';
import { type Document, isDocument, isOperators, type Value } from '../bson/values.ts';
import { compileFilter } from './match.ts';

/**
 * The index of the array's first element that satisfies what the filter asks of it, for `$` in
 * updates and projections; undefined where the filter asks nothing or no element does.
 */
export function matchedPosition(
  filter: Document,
  document: Document,
  arrayPath: Path,
): number | undefined {
  const array = valueAt(document, arrayPath);
  if (!Array.isArray(array)) return undefined;
  const conditions = conditionsOn(filter, document, arrayPath.join('.'));
  const together = new Map(
    conditions.map(([name, condition], i) => [`${i}`, new Map([[name, condition]])]),
  );
  if (together.size === 0) return undefined;
  const all = new Map<string, Value>([['$and', [...together.values()]]]);
  const found = firstElement(array, arrayPath, all);
  if (found >= 0) return found;
  // The conditions hold for different elements: the last one decides.
  const [last] = conditions.slice(-1).map((condition) => new Map([condition]));
  const index = last ? firstElement(array, arrayPath, last) : -1;
  return index >= 0 ? index : undefined;
}

function firstElement(array: readonly Value[], arrayPath: Path, filter: Document): number {
  const matches = compileFilter(filter);
  return array.findIndex((element) => matches(within(arrayPath, [element])));
}

/** A document that holds nothing but the value at the path. */
const within = (path: Path, value: Value): Value =>
  path.reduceRight((inner: Value, part): Value => new Map([[part, inner]]), value);

function conditionsOn(filter: Document, document: Document, array: string): [string, Value][] {
  const found: [string, Value][] = [];
  for (const [name, condition] of filter) {
    if ((name === '$and' || name === '$or') && Array.isArray(condition)) {
      const clauses = condition.filter(isDocument);
      const used =
        name === '$and' ? clauses : clauses.filter((c) => compileFilter(c)(document)).slice(0, 1);
      for (const clause of used) found.push(...conditionsOn(clause, document, array));
    } else if ((name === array || name.startsWith(`${array}.`)) && !isNegative(condition)) {
      found.push([name, condition]);
    }
  }
  return found;
}

/** What is said of all elements singles none out. */
const isNegative = (condition: Value): boolean =>
  isOperators(condition) &&
  [...condition.keys()].every((name) => name === '$ne' || name === '$nin' || name === '$not');

export const positionIn =
  (filter: Document, document: Document) =>
  (arrayPath: Path): number | undefined =>
    matchedPosition(filter, document, arrayPath);
