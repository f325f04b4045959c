import { type Path, valueAt } from '../bson/path.ts';
import { type Document, isCondition, isDocument, type Value } from '../bson/values.ts';
import { unsupported } from '../errors.ts';
import { compileFilter, type Predicate } from './match.ts';

/** Returns the index of the element that a query matched in the array at a path; undefined when there is none. */
export type Position = (document: Document) => number | undefined;

/**
 * Compiles the search for the array's first element that fulfils the filter's conditions, for `$` in updates and
 * projections. Conditions that different elements fulfil are refused: MongoDB's result then depends on the order of its
 * tests.
 */
export function compilePosition(filter: Document, arrayPath: Path): Position {
  const testsOf = compileTests(filter, arrayPath);
  return (document) => {
    const array = valueAt(document, arrayPath);
    if (!Array.isArray(array)) return undefined;
    const found = new Set<number>();
    for (const test of testsOf(document)) {
      const index = array.findIndex(test);
      if (index >= 0) found.add(index);
    }
    if (found.size > 1) {
      unsupported(
        "The positional operator '$' where different elements meet the query's conditions (use $elemMatch)",
        'BadValue',
      );
    }
    return [...found][0];
  };
}

/** Compiles the tests of elements. Of an $or only the first clause counts that the document matches. */
function compileTests(filter: Document, arrayPath: Path): (document: Document) => Predicate[] {
  const array = arrayPath.join('.');
  const parts: ((document: Document) => Predicate[])[] = [];
  for (const [name, condition] of filter) {
    if ((name === '$and' || name === '$or') && Array.isArray(condition)) {
      const clauses = condition.filter(isDocument).map((clause) => ({
        matches: name === '$or' ? compileFilter(clause) : undefined,
        tests: compileTests(clause, arrayPath),
      }));
      parts.push((document) => {
        const met = clauses.filter(({ matches }) => matches === undefined || matches(document));
        return (name === '$and' ? met : met.slice(0, 1)).flatMap(({ tests }) => tests(document));
      });
    } else if (name === array || name.startsWith(`${array}.`)) {
      const tests = singles(condition)
        .filter((single) => !singlesNoneOut(single, name === array))
        .map((single) => elementTest(arrayPath, new Map([[name, single]])));
      parts.push(() => tests);
    }
  }
  return (document) => parts.flatMap((part) => part(document));
}

function elementTest(arrayPath: Path, filter: Document): Predicate {
  const matches = compileFilter(filter);
  return (element) => matches(wrapAtPath(arrayPath, [element]));
}

/** Makes a document that has only the value at the path. */
const wrapAtPath = (path: Path, value: Value): Value =>
  path.reduceRight((inner: Value, part): Value => new Map([[part, inner]]), value);

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

/** Returns the position in any array of a document. The search in an array is compiled when `$` first asks for it. */
export function compilePositions(
  filter: Document,
): (document: Document, arrayPath: Path) => number | undefined {
  const compiled = new Map<string, Position>();
  return (document, arrayPath) => {
    const name = arrayPath.join('.');
    const position = compiled.get(name) ?? compilePosition(filter, arrayPath);
    compiled.set(name, position);
    return position(document);
  };
}
