import { type Path, valueAt } from '../bson/path.ts';
import { type Document, isCondition, isDocument, type Value } from '../bson/values.ts';
import { unsupported } from '../errors.ts';
import { compileFilter } from './match.ts';

/**
 * Returns the index of the array's first element that fulfils the filter's conditions, for `$` in updates and
 * projections; undefined when there is no condition or no such element. Conditions that different elements fulfil are
 * refused: MongoDB's result then depends on the order of its tests.
 */
export function matchedPosition(
  filter: Document,
  document: Document,
  arrayPath: Path,
): number | undefined {
  const array = valueAt(document, arrayPath);
  if (!Array.isArray(array)) return undefined;
  const found = new Set<number>();
  for (const condition of conditionsOn(filter, document, arrayPath.join('.'))) {
    const index = firstElement(array, arrayPath, new Map([condition]));
    if (index >= 0) found.add(index);
  }
  if (found.size > 1) {
    unsupported(
      "The positional operator '$' where different elements meet the query's conditions (use $elemMatch)",
      'BadValue',
    );
  }
  return [...found][0];
}

function firstElement(array: readonly Value[], arrayPath: Path, filter: Document): number {
  const matches = compileFilter(filter);
  return array.findIndex((element) => matches(wrapAtPath(arrayPath, [element])));
}

/** Makes a document that has only the value at the path. */
const wrapAtPath = (path: Path, value: Value): Value =>
  path.reduceRight((inner: Value, part): Value => new Map([[part, inner]]), value);

function conditionsOn(filter: Document, document: Document, array: string): [string, Value][] {
  const found: [string, Value][] = [];
  for (const [name, condition] of filter) {
    if ((name === '$and' || name === '$or') && Array.isArray(condition)) {
      const clauses = condition.filter(isDocument);
      const used =
        name === '$and' ? clauses : clauses.filter((c) => compileFilter(c)(document)).slice(0, 1);
      for (const clause of used)
        for (const one of conditionsOn(clause, document, array)) found.push(one);
    } else if (name === array || name.startsWith(`${array}.`)) {
      for (const single of singles(condition))
        if (!singlesNoneOut(single, name === array)) found.push([name, single]);
    }
  }
  return found;
}

/** Splits a condition into its operators, and $all into its values. */
function singles(condition: Value): Value[] {
  if (!isCondition(condition)) return [condition];
  return [...condition].flatMap(([operator, argument]): Value[] => {
    if (operator === '$options') return [];
    if (operator === '$all' && Array.isArray(argument)) return argument;
    const single = new Map([[operator, argument]]);
    const options = operator === '$regex' ? condition.get('$options') : undefined;
    return [options === undefined ? single : single.set('$options', options)];
  });
}

/** Tells whether a condition selects no element, because it is about all elements or about the array itself. */
function singlesNoneOut(condition: Value, ofArray: boolean): boolean {
  if (!isCondition(condition)) return false;
  const [operator = ''] = condition.keys();
  if (['$ne', '$nin', '$not', '$comment'].includes(operator)) return true;
  if (!ofArray) return false;
  if (operator === '$type') {
    const types = condition.get('$type') as Value;
    return (Array.isArray(types) ? types : [types]).some((type) => type === 'array' || type === 4);
  }
  return operator === '$size' || operator === '$exists';
}

export const positionIn =
  (filter: Document, document: Document) =>
  (arrayPath: Path): number | undefined =>
    matchedPosition(filter, document, arrayPath);
