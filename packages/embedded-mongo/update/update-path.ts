import { isIndex, type Path } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import type { Document, Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Predicate } from '../query/match.ts';

/** The place of an existing or new value: a field of a document or an element of an array. */
export interface Place {
  container: Document | Value[];
  key: string;
}

export const valueIn = ({ container, key }: Place): Value | undefined =>
  container instanceof Map ? container.get(key) : container[Number(key)];

const MAX_PADDING = 1_500_000;

/** Sets a field or an element. A gap before a new element is filled with null. */
export function setIn({ container, key }: Place, value: Value): void {
  if (container instanceof Map) {
    container.set(key, value);
    return;
  }
  const index = Number(key);
  if (index > container.length + MAX_PADDING) {
    fail('BadValue', `can't backfill more than ${MAX_PADDING} elements`);
  }
  while (container.length < index) container.push(null);
  container[index] = value;
}

/** Removes a field. An element of an array is replaced by null. */
export function unsetIn({ container, key }: Place): void {
  if (container instanceof Map) container.delete(key);
  else if (Number(key) < container.length) container[Number(key)] = null;
}

/**
 * Returns the place of a path. With `create`, missing documents on the path are made, and a path through another value
 * is PathNotViable. Without `create`, the result for such paths is undefined.
 */
export function locate(document: Document, path: Path, create: boolean): Place | undefined {
  let container: Document | Value[] = document;
  for (let i = 0; i < path.length - 1; i++) {
    const key = path[i] as string;
    if (!holds(container, key)) return create ? notViable(key, container, path[i - 1]) : undefined;
    let next = valueIn({ container, key });
    if (next === undefined) {
      if (!create) return undefined;
      next = new Map();
      setIn({ container, key }, next);
    }
    if (!(next instanceof Map) && !Array.isArray(next)) {
      return create ? notViable(path[i + 1] as string, next, key) : undefined;
    }
    container = next;
  }
  const key = path.at(-1) as string;
  if (holds(container, key)) return { container, key };
  return create ? notViable(key, container, path.at(-2)) : undefined;
}

const holds = (container: Document | Value[], key: string): boolean =>
  container instanceof Map || isIndex(key);

const notViable = (field: string, value: Value, name = ''): never =>
  fail('PathNotViable', `Cannot create field '${field}' in element {${name}: ${show(value)}}`);

export interface Positions {
  /** Returns the index of the element that the query matched in an array. */
  matched(arrayPath: Path): number | undefined;
  /** The conditions of arrayFilters by the names in their paths. */
  filters: ReadonlyMap<string, Predicate>;
}

const NAMED = /^\$\[(.*)\]$/;

export const isPositional = (part: string): boolean => part === '$' || NAMED.test(part);

/** Returns the name in `$[name]`; undefined for any other part. */
export const filterName = (part: string): string | undefined => NAMED.exec(part)?.[1] || undefined;

/** Replaces `$`, `$[]` and `$[name]` by indexes and returns the resulting paths in this document. */
export function resolvePositions(document: Document, path: Path, positions: Positions): Path[] {
  let open: { path: string[]; value: Value | undefined }[] = [{ path: [], value: document }];
  for (const part of path) {
    open = open.flatMap(({ path: walked, value }) => {
      if (part === '$') {
        const index = positions.matched(walked);
        if (index === undefined) {
          return fail(
            'BadValue',
            'The positional operator did not find the match needed from the query.',
          );
        }
        return [{ path: [...walked, String(index)], value: child(value, String(index)) }];
      }
      if (NAMED.test(part))
        return elements(walked, value, positions.filters.get(filterName(part) ?? ''));
      return [{ path: [...walked, part], value: child(value, part) }];
    });
  }
  return open.map(({ path: resolved }) => resolved);
}

function elements(path: string[], value: Value | undefined, filter: Predicate | undefined) {
  if (value === undefined) {
    fail(
      'BadValue',
      `The path '${path.join('.')}' must exist in the document in order to apply array updates.`,
    );
  }
  if (!Array.isArray(value)) {
    return fail(
      'BadValue',
      `Cannot apply array updates to non-array element ${path.at(-1)}: ${show(value as Value)}`,
    );
  }
  const all = value.map((element, i) => ({
    path: [...path, String(i)],
    value: element as Value | undefined,
  }));
  return filter ? all.filter((element) => filter(element.value as Value)) : all;
}

function child(value: Value | undefined, part: string): Value | undefined {
  if (value instanceof Map) return value.get(part);
  return Array.isArray(value) && isIndex(part) ? value[Number(part)] : undefined;
}
