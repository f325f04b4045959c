import { compareValues } from '../bson/compare.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import { pathOf, valueAt } from '../bson/path.ts';
import { isDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';

/** Compares two elements of an array for a sort. */
export type ElementOrder = (a: Value, b: Value) => number;

/**
 * Compiles the order of a $push's $sort and of $sortArray: 1 or -1 for whole elements, or directions of fields. A field
 * that is an array is compared as an array, other than in the sort of a query. `name` is the clause in errors.
 */
export function compileElementOrder(by: Value, name: string): ElementOrder {
  if (isNumeric(by)) {
    const direction = directionOf(by, name);
    return (a, b) => compareValues(a, b) * direction;
  }
  if (!isDocument(by))
    return fail(
      'BadValue',
      `The ${name} is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields`,
    );
  if (by.size === 0)
    fail('BadValue', `The ${name} pattern is empty when it should be a set of fields.`);
  const fields = [...by].map(([field, direction]) => ({
    path: checkedPath(field, name),
    direction: directionOf(direction, name),
  }));
  return (a, b) => {
    for (const { path, direction } of fields) {
      const order = compareValues(fieldOf(a, path), fieldOf(b, path)) * direction;
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** Returns a field of an element. A missing field, and a field of what is no document, is null. */
const fieldOf = (element: Value, path: readonly string[]): Value =>
  (isDocument(element) ? valueAt(element, path) : undefined) ?? null;

function directionOf(value: Value, name: string): number {
  const direction = isNumeric(value) ? toDouble(value) : 0;
  if (direction !== 1 && direction !== -1)
    fail('BadValue', `The ${name} element value must be either 1 or -1`);
  return direction;
}

function checkedPath(field: string, name: string): readonly string[] {
  if (field === '') fail('BadValue', `The ${name} field cannot be empty`);
  const path = pathOf(field);
  if (path.includes(''))
    fail('BadValue', `The ${name} field is a dotted field but has an empty part: ${field}`);
  return path;
}
