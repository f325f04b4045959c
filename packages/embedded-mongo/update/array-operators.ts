import { contains, sortElements } from '../aggregation/operators/variables.ts';
import { equalValues } from '../bson/compare.ts';
import { integerOf } from '../bson/numbers.ts';
import type { Path } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import {
  type Document,
  isCondition,
  isDocument,
  Regex,
  typeName,
  type Value,
} from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import type { Apply, UpdateContext, UpdateOperator } from './operator.ts';
import { locate, type Place, setIn, valueIn } from './update-path.ts';

/** Makes a change of the array at a path. A missing array is made if `create` is set, and else stays missing. */
const changing =
  (create: boolean, name: string, change: (array: Value[]) => Value[]): Apply =>
  (path, context) => {
    const place = locate(context.document, path, create);
    const current = place && valueIn(place);
    if (!place || (current === undefined && !create)) return;
    if (current !== undefined && !Array.isArray(current))
      return notAnArray(name, path, current, context);
    setIn(place as Place, change((current as Value[] | undefined) ?? []));
  };

function notAnArray(name: string, path: Path, current: Value, { document }: UpdateContext): never {
  const field = path.join('.');
  if (name === '$push' || name === '$addToSet') {
    return fail(
      'BadValue',
      `The field '${field}' must be an array but is of type ${typeName(current)} in document {_id: ${show(document.get('_id'))}}`,
    );
  }
  if (name === '$pop')
    fail(
      'TypeMismatch',
      `Path '${field}' contains an element of non-array type '${typeName(current)}'`,
    );
  return fail('BadValue', `Cannot apply ${name} to a non-array value`);
}

const PUSH_CLAUSES = new Set(['$each', '$slice', '$sort', '$position']);

function clausesOf(
  name: string,
  argument: Value,
  allowed: ReadonlySet<string>,
): Document | undefined {
  if (!isDocument(argument) || !argument.has('$each')) return undefined;
  for (const clause of argument.keys()) {
    if (!allowed.has(clause)) fail('BadValue', `Unrecognized clause in ${name}: ${clause}`);
  }
  const each = argument.get('$each');
  if (!Array.isArray(each)) {
    fail(
      'BadValue',
      `The argument to $each in ${name} must be an array but it was of type: ${typeName(each)}`,
    );
  }
  return argument;
}

function integerClause(clauses: Document, name: string): number | undefined {
  const value = clauses.get(name);
  if (value === undefined) return undefined;
  return (
    integerOf(value) ??
    fail(
      'BadValue',
      `The value for ${name} must be an integer value but was given type: ${typeName(value)}`,
    )
  );
}

/** Makes a $push: it inserts, then sorts, then slices, in any order of the clauses. */
const push: UpdateOperator = (argument) => {
  const clauses = clausesOf('$push', argument, PUSH_CLAUSES);
  if (!clauses) return changing(true, '$push', (array) => [...array, argument]);
  const each = clauses.get('$each') as Value[];
  const position = integerClause(clauses, '$position');
  const slice = integerClause(clauses, '$slice');
  const sort = clauses.get('$sort');
  if (sort !== undefined) sortElements([], sort);
  return changing(true, '$push', (array) => {
    let result = [...array];
    result.splice(position ?? array.length, 0, ...each);
    if (sort !== undefined) result = sortElements(result, sort);
    if (slice === undefined) return result;
    return slice < 0 ? result.slice(slice) : result.slice(0, slice);
  });
};

const addToSet: UpdateOperator = (argument) => {
  const clauses = clausesOf('$addToSet', argument, new Set(['$each']));
  const each = clauses ? (clauses.get('$each') as Value[]) : [argument];
  return changing(true, '$addToSet', (array) => {
    const result = [...array];
    for (const value of each) if (!contains(result, value)) result.push(value);
    return result;
  });
};

const pop: UpdateOperator = (argument) => {
  const end = integerOf(argument);
  if (end !== 1 && end !== -1)
    fail('FailedToParse', `$pop expects 1 or -1, found: ${show(argument)}`);
  return changing(false, '$pop', (array) => (end === 1 ? array.slice(0, -1) : array.slice(1)));
};

/** Operators that test a document and not a value. */
const OF_DOCUMENTS = new Set(['$and', '$or', '$nor', '$expr', '$comment', '$where']);

/** Makes a $pull by a condition on the elements, by a condition on the fields of document elements, or by a value. */
const pull: UpdateOperator = (argument) => {
  const [first = ''] = isDocument(argument) ? argument.keys() : [];
  if ((isCondition(argument) && !OF_DOCUMENTS.has(first)) || argument instanceof Regex) {
    const matches = compileFilter(new Map([['e', argument]]));
    return removing((element) => matches(new Map([['e', element]])));
  }
  if (isDocument(argument)) {
    const matches = compileFilter(argument);
    return removing((element) => isDocument(element) && matches(element));
  }
  return removing((element) => equalValues(element, argument));
};

const removing = (matches: (element: Value) => boolean): Apply =>
  changing(false, '$pull', (array) => array.filter((element) => !matches(element)));

const pullAll: UpdateOperator = (argument) => {
  if (!Array.isArray(argument))
    return fail(
      'BadValue',
      `$pullAll requires an array argument but was given a ${typeName(argument)}`,
    );
  return changing(false, '$pullAll', (array) =>
    array.filter((element) => !contains(argument, element)),
  );
};

export const ARRAY_OPERATORS: [string, UpdateOperator][] = [
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pop', pop],
  ['$pull', pull],
  ['$pullAll', pullAll],
];
