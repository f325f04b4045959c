import type { Path } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import type { Document, Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Predicate } from '../query/match.ts';
import { childOf } from './working-document.ts';

export interface Positions {
  /** Returns the index of the element that the query matched in an array. */
  matched(arrayPath: Path): number | undefined;
  /** The conditions of arrayFilters by the names in their paths. */
  filters: ReadonlyMap<string, Predicate>;
}

const NAMED = /^\$\[(.*)\]$/s;

/** Tells whether a part of a path is `$[]` or `$[name]`. */
export const isFiltered = (part: string): boolean => NAMED.test(part);

export const isPositional = (part: string): boolean => part === '$' || isFiltered(part);

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
        return [{ path: [...walked, String(index)], value: childOf(value, String(index)) }];
      }
      if (isFiltered(part))
        return elements(walked, value, positions.filters.get(filterName(part) ?? ''));
      return [{ path: [...walked, part], value: childOf(value, part) }];
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
      `Cannot apply array updates to non-array element ${path.at(-1)}: ${show(value)}`,
    );
  }
  const all = value.map((element, i) => ({ path: [...path, String(i)], value: element }));
  return filter ? all.filter((element) => filter(element.value)) : all;
}
