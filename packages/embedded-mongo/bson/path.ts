import { StoredDocument } from './stored.ts';
import type { Document, Value } from './values.ts';

/** A dotted path, such as `a.b.0`, by its parts. */
export type Path = readonly string[];

const INDEX = /^(0|[1-9]\d*)$/;

export const isIndex = (part: string): boolean => INDEX.test(part);

const known = new Map<string, Path>();

export function pathOf(dotted: string): Path {
  const path = known.get(dotted);
  if (path) return path;
  const parts = dotted.split('.');
  if (known.size > 5000) known.clear();
  known.set(dotted, parts);
  return parts;
}

/**
 * Shows every value that a query's path reaches, undefined for each place where it ends in nothing,
 * until `visit` returns true; says whether it did. An array on the way stands for each of its
 * documents, and for its element where the part is an index; an array at the end is one value,
 * `indexed` where the last part was an index: then it is not unfolded any further.
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

/** Where a path goes on from an element: a scalar is passed over, it has not even a missing field. */
const holdsFields = (element: Value | undefined): boolean =>
  element instanceof Map || Array.isArray(element);

/** The one value at the path, where parts name fields or indexes and arrays are not unfolded. */
export function valueAt(from: Value | undefined, path: Path): Value | undefined {
  let value = from;
  for (const part of path) {
    if (value instanceof Map) value = value.get(part);
    else if (Array.isArray(value) && isIndex(part)) value = value[Number(part)];
    else return undefined;
  }
  return value;
}

/** The value at a path of fields alone: neither an array nor an index leads on. */
export function fieldAt(from: Value | undefined, path: Path): Value | undefined {
  let value = from;
  for (const part of path) value = value instanceof Map ? value.get(part) : undefined;
  return value;
}

/** A copy with another value at a path of fields; what is no document on the way becomes one. */
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

/** Copies documents and arrays on the way down, so that the copy can be changed. */
export function cloneValue<T extends Value>(value: T): T {
  if (value instanceof Map) return cloneDocument(value) as T;
  if (Array.isArray(value)) return value.map(cloneValue) as T;
  return value;
}

export function cloneDocument(document: Document): Document {
  if (document instanceof StoredDocument) return document.clone(cloneValue);
  const copy: Document = new Map();
  for (const [name, value] of document) copy.set(name, cloneValue(value));
  return copy;
}
