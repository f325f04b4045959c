import { isNumeric, toDouble } from '../bson/numbers.ts';
import { isIndex, pathOf } from '../bson/path.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail, MongoError, unsupported } from '../errors.ts';
import { KeyGenerator } from './key-generator.ts';

/** Returns the key of a document in a sort, a string of bytes, which takes less memory than a buffer. The lesser key comes first. */
export type SortKey = (document: Document) => string;

export const compareKeys = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

/** Compares what sort keys belong to. */
export const byKey = (a: { key: string }, b: { key: string }): number => compareKeys(a.key, b.key);

/** Checks a sort. Returns undefined for an empty sort. */
export function sortOf(value: Value | undefined): Document | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isDocument(value)) {
    return fail(
      'TypeMismatch',
      `Expected field sort to be of type object, but got ${typeName(value)}`,
    );
  }
  if (value.size === 0) return undefined;
  if (value.has('$natural') && value.size > 1)
    fail('BadValue', "Cannot include '$natural' in compound sort");
  for (const [name, direction] of value) checkDirection(name, direction);
  return value;
}

/** Checks the sort of a pipeline's stage, which is not empty and knows no natural order. */
export function stageSortOf(value: Value): Document {
  if (!isDocument(value)) return fail(15973, 'the $sort key specification must be an object');
  if (value.size === 0) fail(15976, '$sort stage must have at least one sort key');
  if (value.has('$natural')) illegalField();
  for (const [name, direction] of value) checkDirection(name, direction);
  return value;
}

const illegalField = (): never =>
  fail(
    16410,
    "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
  );

function checkDirection(name: string, direction: Value): void {
  if (isDocument(direction)) unsupported('Sorting by $meta');
  if (name === '' || name.split('.').includes('')) {
    fail(15998, 'FieldPath field names may not be empty strings.');
  }
  if (pathOf(name).slice(1).some(isIndex))
    unsupported(`Sorting by an element's position (${name})`);
  if (name.split('.').some((part) => part.startsWith('$')) && name !== '$natural') illegalField();
  const n = isNumeric(direction) ? toDouble(direction) : undefined;
  if (n === undefined)
    fail(15974, `Illegal key in $sort specification: ${name}: ${String(direction)}`);
  if (n !== 1 && n !== -1) {
    fail(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
  }
}

/** Compiles a sort. An array sorts by its least element, in descending order by its greatest. */
export function compileSortKey(sort: Document): SortKey {
  const generator = new KeyGenerator(sort);
  return (document) => {
    try {
      const [least] = generator.entries(document);
      return least ? least.key.toString('latin1') : '';
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      return fail('BadValue', 'cannot sort with keys that are parallel arrays');
    }
  };
}
