import type { Connection } from './connection.ts';

/** The version of the data file's format. */
const FORMAT = 3;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS collections (id INTEGER PRIMARY KEY AUTOINCREMENT, ns TEXT UNIQUE NOT NULL, options BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS indexes (id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, spec BLOB NOT NULL, multikey TEXT NOT NULL DEFAULT '[]');
  CREATE TABLE IF NOT EXISTS retries (session BLOB PRIMARY KEY, number INTEGER NOT NULL, kind TEXT NOT NULL, reply BLOB NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * The migration from format 1. Since format 2 the ids of collections and indexes are not used again, so that the reader
 * of a dropped table never reads another table.
 */
const FROM_1 = `
  BEGIN;
  ALTER TABLE collections RENAME TO collections1; ALTER TABLE indexes RENAME TO indexes1;
  ${SCHEMA}
  INSERT INTO collections SELECT id, ns, options FROM collections1;
  INSERT INTO indexes SELECT id, collection, spec, multikey FROM indexes1;
  DROP TABLE collections1; DROP TABLE indexes1;
  PRAGMA user_version = 2;
  COMMIT
`;

/**
 * Makes the tables of the catalog. Returns whether the file has an older format, whose symbols' keys must be rewritten
 * before the caller sets the present format. Throws for a file that a newer version has written.
 */
export function prepareSchema(connection: Connection, file: string): boolean {
  const format = Number(connection.get('PRAGMA user_version')?.[0]);
  if (format > FORMAT) throw new Error(`The file ${file} was written by a newer version`);
  if (format === 1) connection.exec(FROM_1);
  connection.exec(SCHEMA);
  if (format === 0) setFormat(connection);
  return format > 0 && format < FORMAT;
}

/** Notes in the file that it has the present format. */
export const setFormat = (connection: Connection): void =>
  connection.exec(`PRAGMA user_version = ${FORMAT}`);

/** Makes the table of a collection's documents, in the order of their insertion. */
export const createDocumentTable = (connection: Connection, table: string): void =>
  connection.exec(`CREATE TABLE ${table} (rid INTEGER PRIMARY KEY, doc BLOB NOT NULL)`);

/** Makes the table of an index, in the order of the keys. */
export const createIndexTable = (connection: Connection, table: string): void =>
  connection.exec(
    `CREATE TABLE ${table} (k BLOB NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY (k, rid)) WITHOUT ROWID`,
  );

/** Returns an id for a collection or index whose row in the catalog is written later. The id is not given again. */
export function reserveId(connection: Connection, catalog: 'collections' | 'indexes'): number {
  const columns =
    catalog === 'indexes' ? '(collection, spec) VALUES (0' : "(ns, options) VALUES (''";
  const id = connection.run(`INSERT INTO ${catalog} ${columns}, x'')`);
  connection.run(`DELETE FROM ${catalog} WHERE id = ?`, id);
  return id;
}
