import { cursorOf, readCursor } from '../../../../contract/pages.ts';
import { invalidParams } from '../json-rpc.ts';

/** The items after the one that the cursor names, and the cursor of the next page where there are more. */
export function pageAfter<T>(
  items: readonly T[],
  cursor: string | undefined,
  size: number,
  keyOf: (item: T) => string,
): { items: T[]; nextCursor?: string } {
  const from = cursor === undefined ? 0 : indexAfter(items, cursor, keyOf);
  const page = items.slice(from, from + size);
  const last = page.at(-1);
  const isMore = from + size < items.length && last !== undefined;
  return { items: page, ...(isMore ? { nextCursor: cursorOf(keyOf(last)) } : {}) };
}

function indexAfter<T>(items: readonly T[], cursor: string, keyOf: (item: T) => string): number {
  const [key] = readCursor(cursor, 'string') ?? [];
  const at = items.findIndex((item) => keyOf(item) === key);
  if (at < 0) throw invalidParams('cursor: must be the `nextCursor` of a page of this list');
  return at + 1;
}
