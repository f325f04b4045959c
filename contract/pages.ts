/** The greatest length of a page in bytes of JSON, well below the largest message of NATS. */
const PAGE_BYTES = 512 * 1024;

export interface Page<T> {
  items: T[];
  /** The cursor of the next page; null in the last page. */
  after: string | null;
}

/** Makes an opaque cursor of the values that order the list. */
export const cursorOf = (...values: (number | string)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** Reads the values of a cursor; null for a text that is no cursor with values of these types. */
export function readCursor(
  cursor: string,
  ...types: ('number' | 'string')[]
): (number | string)[] | null {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const fits =
      Array.isArray(values) &&
      values.length === types.length &&
      values.every((value, at) => typeof value === types[at]);
    return fits ? (values as (number | string)[]) : null;
  } catch {
    return null; // no JSON
  }
}

/**
 * Makes a page of at most `limit` rows and 512 KiB. The caller has read `limit + 1` rows. `show` makes the
 * representation of a row, and `key` the cursor.
 */
export function pageFrom<Row, T>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => T,
  key: (row: Row) => string,
): Page<T> {
  const items: T[] = [];
  let bytes = 2;
  let last: Row | undefined;
  for (const row of rows) {
    const item = show(row);
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES)) {
      return { items, after: last === undefined ? null : key(last) };
    }
    items.push(item);
    last = row;
  }
  return { items, after: null };
}
