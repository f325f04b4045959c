import { ASIDE } from './catalog.ts';
import type { Connection } from './connection.ts';
import { PORTION_MS } from './scan.ts';

/** Rows of a table that is dropped at once. The rows of a larger table are removed before, in portions. */
const SMALL_ROWS = 2048;
/** Bytes of the rows of a table that is dropped at once. */
const SMALL_BYTES = 4 * 1024 * 1024;

/** Returns the tables that a server which was killed has left `ASIDE`. */
export function leftoverTables(connection: Connection): string[] {
  const named = `SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, ?) = ?`;
  return connection.all(named, ASIDE.length, ASIDE).map(([name]) => String(name));
}

/** Tells whether all rows of a table can be read or removed in one portion. */
export function isSmallTable(connection: Connection, table: string): boolean {
  const column = isOfIndex(table) ? 'k' : 'doc';
  const [rows, bytes] =
    connection.get(
      `SELECT count(*), total(length(${column})) FROM (SELECT ${column} FROM ${table} LIMIT ${SMALL_ROWS + 1})`,
    ) ?? [];
  return Number(rows) <= SMALL_ROWS && Number(bytes) <= SMALL_BYTES;
}

const isOfIndex = (table: string): boolean => table.replace(ASIDE, '').startsWith('i');

/** Removes rows of a table for the time of a portion. Returns whether rows are left. */
export function removeRows(connection: Connection, table: string): boolean {
  const key = isOfIndex(table) ? '(k, rid)' : 'rid';
  const columns = isOfIndex(table) ? 'k, rid' : 'rid';
  const sql = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${columns} FROM ${table} LIMIT ?)`;
  const end = performance.now() + PORTION_MS;
  let limit = 4;
  do {
    if (connection.change(sql, limit) < limit) return false;
    limit = Math.min(limit * 2, 256);
  } while (performance.now() < end);
  return true;
}
