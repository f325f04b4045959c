import { fail } from '../errors.ts';
import type { Document, Value } from './values.ts';

/** The parts of a dotted path such as `a.b.0`. */
export type Path = readonly string[];

const INDEX = /^(0|[1-9]\d*)$/;

export const isIndex = (part: string): boolean => INDEX.test(part);

/** Parts of a path that can lead to a stored value, as in MongoDB's FieldPath. */
const MAX_PARTS = 200;

/** Characters of a path that is kept in the cache. */
const MAX_CACHED = 200;

const known = new Map<string, Path>();

export function pathOf(dotted: string): Path {
  const path = known.get(dotted);
  if (path) return path;
  const parts = dotted.split('.');
  if (dotted.length > MAX_CACHED) return parts;
  if (known.size > 5000) known.clear();
  known.set(dotted, parts);
  return parts;
}

/** Throws for a path that is longer than a document is deep. */
export function refuseLongPath(path: Path): void {
  if (path.length > MAX_PARTS) fail('Overflow', 'FieldPath is too long');
}

/**
 * Visits every value that a query's path reaches, and undefined for each missing value, until `visit` returns true.
 * Returns whether `visit` did. An array on the path is followed into each of its documents, and into its element when
 * the part is an index. An array at the end is one value; `indexed` is set when the last part is an index, and such an
 * array must not be unfolded.
 */
export function visitPath(
  from: Value | undefined,
  path: Path,
  visit: (value: Value | undefined, indexed?: boolean) => boolean,
  start = 0,
): boolean {
  let value = from;
  for (let i = start; i < path.length; i++) {
    const part = path[i] as string;
    if (value instanceof Map) value = value.get(part);
    else if (Array.isArray(value)) return visitElements(value, path, visit, i);
    else return visit(undefined);
  }
  return visit(value);
}

function visitElements(
  array: Value[],
  path: Path,
  visit: (value: Value | undefined, indexed?: boolean) => boolean,
  i: number,
): boolean {
  const part = path[i] as string;
  if (isIndex(part) && Number(part) < array.length) {
    const element = array[Number(part)];
    if (i + 1 === path.length) {
      if (visit(element, true)) return true;
    } else if (holdsFields(element) && visitPath(element, path, visit, i + 1)) return true;
  }
  for (const element of array) {
    if (element instanceof Map && visitPath(element, path, visit, i)) return true;
  }
  return false;
}

/** Tells whether a path leads on from an element. A scalar is skipped and does not count as a missing field. */
const holdsFields = (element: Value | undefined): boolean =>
  element instanceof Map || Array.isArray(element);

/** Returns the value at a path of fields and indexes. Arrays are not unfolded. */
export function valueAt(from: Value | undefined, path: Path): Value | undefined {
  let value = from;
  for (const part of path) {
    if (value instanceof Map) value = value.get(part);
    else if (Array.isArray(value) && isIndex(part)) value = value[Number(part)];
    else return undefined;
  }
  return value;
}

/** Returns the value at a path of fields. The path does not lead into arrays. */
export function fieldAt(from: Value | undefined, path: Path): Value | undefined {
  let value = from;
  for (const part of path) value = value instanceof Map ? value.get(part) : undefined;
  return value;
}

/** Copies a document with a new value at a path of fields. Other values on the path become documents. */
export function withField(document: Document, path: Path, value: Value | undefined): Document {
  const [name = '', ...rest] = path;
  const copy = new Map(document);
  if (rest.length > 0) {
    const inner = document.get(name);
    copy.set(name, withField(inner instanceof Map ? inner : new Map(), rest, value));
  } else if (value === undefined) copy.delete(name);
  else copy.set(name, value);
  return copy;
}
