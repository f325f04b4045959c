import { equalValues } from '../bson/compare.ts';
import { integerOf } from '../bson/numbers.ts';
import { show } from '../bson/show.ts';
import { ValueSet } from '../bson/value-set.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileElementOrder, type ElementOrder } from '../query/element-order.ts';
import { setting, type UpdateOperator } from './operator.ts';
import { pull, pullAll, shortening } from './pull.ts';

/** The arguments of a $push. */
interface Push {
  each: Value[];
  position: number | undefined;
  order: ElementOrder | undefined;
  slice: number | undefined;
}

const PUSH_CLAUSES = new Set(['$each', '$slice', '$sort', '$position']);

function pushOf(argument: Value): Push {
  if (!isDocument(argument) || !argument.has('$each'))
    return { each: [argument], position: undefined, order: undefined, slice: undefined };
  for (const clause of argument.keys())
    if (!PUSH_CLAUSES.has(clause)) fail('BadValue', `Unrecognized clause in $push: ${clause}`);
  const each = argument.get('$each');
  if (!Array.isArray(each))
    return fail(
      'BadValue',
      `The argument to $each in $push must be an array but it was of type: ${typeName(each)}`,
    );
  const slice = integerClause(argument, '$slice');
  const sort = argument.get('$sort');
  const order = sort === undefined ? undefined : compileElementOrder(sort, '$sort');
  return { each, position: integerClause(argument, '$position'), order, slice };
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
  const { each, position, order, slice } = pushOf(argument);
  return setting((current = [], { working }, path) => {
    if (!Array.isArray(current)) {
      return fail(
        'BadValue',
        `The field '${path.join('.')}' must be an array but is of type ${typeName(current)} in document {_id: ${show(working.document.get('_id'))}}`,
      );
    }
    const at = position ?? current.length;
    const inserted =
      each.length > 0 ? current.slice(0, at).concat(each, current.slice(at)) : current;
    const sorted = order ? [...inserted].sort(order) : inserted;
    const result = sliced(sorted, slice);
    if (result !== current) working.touched = true;
    return result;
  });
};

/** Returns the first elements, or for a negative number the last. An array that is short enough is returned itself. */
function sliced(array: Value[], size: number | undefined): Value[] {
  if (size === undefined || array.length <= Math.abs(size)) return array;
  return size < 0 ? array.slice(size) : array.slice(0, size);
}

/** Values of an $addToSet up to which the array is searched for each. For more the array is made a set. */
const FEW = 4;

const addToSet: UpdateOperator = (argument) => {
  const wanted = new ValueSet();
  const values = addedOf(argument).filter((value) => wanted.add(value));
  return setting((current, _, path) => {
    if (current === undefined) return values;
    if (!Array.isArray(current)) {
      return fail(
        'BadValue',
        `Cannot apply $addToSet to non-array field. Field named '${path.at(-1)}' has non-array type ${typeName(current)}`,
      );
    }
    const known = values.length > FEW ? new ValueSet(current) : undefined;
    const isKnown = (value: Value): boolean =>
      known ? known.has(value) : current.some((element) => equalValues(element, value));
    const added = values.filter((value) => !isKnown(value));
    return added.length > 0 ? current.concat(added) : current;
  });
};

function addedOf(argument: Value): Value[] {
  const [first = ''] = isDocument(argument) ? argument.keys() : [];
  if (!isDocument(argument) || first !== '$each') return [argument];
  const each = argument.get('$each');
  if (!Array.isArray(each)) {
    return fail(
      'TypeMismatch',
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`,
    );
  }
  if (argument.size > 1)
    fail('BadValue', `Found unexpected fields after $each in $addToSet: ${show(argument)}`);
  return each;
}

const pop: UpdateOperator = (argument) => {
  const end = integerOf(argument);
  if (end !== 1 && end !== -1)
    fail('FailedToParse', `$pop expects 1 or -1, found: ${show(argument)}`);
  return shortening(
    (array) => (end === 1 ? array.slice(0, -1) : array.slice(1)),
    (value, field) =>
      fail(
        'TypeMismatch',
        `Path '${field}' contains an element of non-array type '${typeName(value)}'`,
      ),
  );
};

export const ARRAY_OPERATORS: [string, UpdateOperator][] = [
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pop', pop],
  ['$pull', pull],
  ['$pullAll', pullAll],
];
