/** Bytes of JSON that one page may hold, well below what NATS carries in one message. */
const PAGE_BYTES = 512 * 1024;

export interface Page<T> {
  items: T[];
  /** Where the next page begins; null when this is the last. */
  after: string | null;
}

/** An opaque cursor of the values that the list is ordered by. */
export const cursorOf = (...values: (number | string)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** The values of a cursor, or null when it is none of ours: then `types` did not fit. */
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
    return null; // not ours
  }
}

/**
 * A page of at most `limit` rows and 512 KiB out of `rows`, which the caller read with `limit + 1`.
 * `show` makes the answer of a row, `key` its cursor.
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
