import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { MongoError } from '../errors.ts';
import type { Changes } from './changes.ts';

/** Result codes of SQLite. */
const SQLITE = { error: 1, busy: 5, readOnly: 8, full: 13, snapshot: 517 } as const;

/** Bytes of the log file that are kept for further writes, once a long transaction that made it larger has ended. */
const LOG_BYTES_KEPT = 32 * 1024 * 1024;

/** Pages of the log file from which a commit also writes them into the database file, which takes up to 50 ms. */
const CHECKPOINT_PAGES = 2000;
/** The same during long work that others interrupt, so that they wait for a quarter of the time. */
const PORTION_CHECKPOINT_PAGES = 500;

export type Durability = 'NORMAL' | 'FULL';

export type SqlRow = SQLOutputValue[];

/** One connection to the database file, with its prepared statements. */
export class Connection {
  readonly db: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private readonly usual: Durability;
  private durability: Durability;
  private readonly changes: Changes;
  /** The collections that the open unit has written. */
  private readonly touched = new Set<string>();
  /** The error of the open unit, which was rolled back: statements that would change the file throw the error. */
  failure: unknown;

  constructor(file: string, durability: Durability, changes: Changes) {
    this.changes = changes;
    this.usual = durability;
    this.durability = durability;
    this.db = new DatabaseSync(file);
    this.db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}; PRAGMA temp_store = MEMORY;
       PRAGMA cache_size = -16000; PRAGMA mmap_size = 1073741824; PRAGMA busy_timeout = 0;
       PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${LOG_BYTES_KEPT}`,
    );
  }

  get(sql: string, ...parameters: SQLInputValue[]): SqlRow | undefined {
    return this.statement(sql).get(...parameters) as unknown as SqlRow | undefined;
  }

  all(sql: string, ...parameters: SQLInputValue[]): SqlRow[] {
    return this.statement(sql).all(...parameters) as unknown as SqlRow[];
  }

  run(sql: string, ...parameters: SQLInputValue[]): number {
    if (this.failure !== undefined) throw this.failure;
    return Number(this.statement(sql).run(...parameters).lastInsertRowid);
  }

  /** Runs a statement and returns the number of changed rows. */
  change(sql: string, ...parameters: SQLInputValue[]): number {
    if (this.failure !== undefined) throw this.failure;
    return Number(this.statement(sql).run(...parameters).changes);
  }

  exec(sql: string): void {
    if (this.failure !== undefined) throw this.failure;
    this.db.exec(sql);
  }

  begin(durable: boolean): void {
    // SQLite changes this setting between transactions only.
    const wanted = durable ? 'FULL' : this.usual;
    if (wanted !== this.durability) {
      this.db.exec(`PRAGMA synchronous = ${wanted}`);
      this.durability = wanted;
    }
    this.statement('BEGIN IMMEDIATE').run();
  }

  commit(): void {
    this.statement('COMMIT').run();
    if (this.touched.size === 0) return;
    this.changes.note(this.touched);
    this.touched.clear();
  }

  /** Runs a portion of long work, whose commits write less into the database file at a time. */
  inPortion<T>(work: () => T): T {
    this.db.exec(`PRAGMA wal_autocheckpoint = ${PORTION_CHECKPOINT_PAGES}`);
    try {
      return work();
    } finally {
      this.db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    }
  }

  /** Notes that the unit writes to a collection. */
  touch(namespace: string): void {
    this.touched.add(namespace);
  }

  rollback(): void {
    this.touched.clear();
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
  }

  /** Drops the prepared statements of a table that will be dropped. */
  forget(table: string): void {
    const named = new RegExp(`\\b${table}\\b`);
    for (const sql of this.statements.keys()) if (named.test(sql)) this.statements.delete(sql);
  }

  close(): void {
    this.statements.clear();
    if (this.db.isOpen) this.db.close();
  }

  private statement(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      statement.setReturnArrays(true);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

const codeOf = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'errcode' in error
    ? (error.errcode as number)
    : undefined;

/** Converts an error of SQLite to a `MongoError`. Other errors are returned unchanged. */
export function asMongoError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const { message } = error as Error;
  if (code === SQLITE.full) return new MongoError('OutOfDiskSpace', `The disk is full: ${message}`);
  if (code === SQLITE.readOnly)
    return new MongoError('IllegalOperation', `The folder is read-only: ${message}`);
  if (code === SQLITE.busy || code === SQLITE.snapshot) return writeConflict();
  if (isMissingTable(error))
    return new MongoError('QueryPlanKilled', 'collection or index dropped while it was read');
  return new MongoError('UnknownError', `The database file answered: ${message} (${code})`);
}

export const isSqliteError = (error: unknown): boolean => codeOf(error) !== undefined;

export const isMissingTable = (error: unknown): boolean =>
  codeOf(error) === SQLITE.error && (error as Error).message.startsWith('no such table');

export const writeConflict = (): MongoError =>
  new MongoError(
    'WriteConflict',
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
  );

export const toBuffer = (value: SQLOutputValue | undefined): Buffer => {
  const bytes = value as Uint8Array;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};
