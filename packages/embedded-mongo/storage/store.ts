import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document } from '../bson/values.ts';
import { snapshotUnavailable } from '../errors.ts';
import { Collection, ID_INDEX, Index } from './catalog.ts';
import { Changes } from './changes.ts';
import { asMongoError, Connection, type Durability, toBuffer } from './connection.ts';
import { type OperationContext, rollBackMemory } from './context.ts';
import { addEntries, checkUnique } from './documents.ts';

/** The name of the data file in its folder. */
export const DATA_FILE = 'mongo.sqlite';
/** The version of the data file's format. */
const FORMAT = 2;

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

/** The database file: its collections and indexes, and the units in which it is written. */
export class Store {
  readonly main: Connection;
  readonly changes = new Changes();
  private readonly file: string;
  private readonly durability: Durability;
  private readonly pool: Connection[] = [];
  private readonly byNamespace = new Map<string, Collection>();

  constructor(file: string, durability: Durability) {
    this.file = file;
    this.durability = durability;
    this.main = new Connection(file, durability, this.changes);
    const format = Number(this.main.get('PRAGMA user_version')?.[0]);
    if (format > FORMAT) throw new Error(`The file ${file} was written by a newer version`);
    if (format === 1) this.main.exec(FROM_1);
    this.main.exec(`${SCHEMA}; PRAGMA user_version = ${FORMAT}`);
    this.load();
  }

  private load(): void {
    const byId = new Map<number, Collection>();
    for (const [id, ns, options] of this.main.all('SELECT id, ns, options FROM collections')) {
      const collection = new Collection(Number(id), String(ns), decodeDocument(toBuffer(options)));
      byId.set(collection.id, collection);
      this.byNamespace.set(collection.namespace, collection);
    }
    for (const [id, of, spec, multikey] of this.main.all(
      'SELECT id, collection, spec, multikey FROM indexes ORDER BY id',
    )) {
      const paths = JSON.parse(String(multikey)) as string[];
      byId
        .get(Number(of))
        ?.indexes.push(new Index(Number(id), Number(of), decodeDocument(toBuffer(spec)), paths));
    }
  }

  context(): OperationContext {
    return { connection: this.main, transaction: undefined, undo: [] };
  }

  /** Runs `work` as one atomic unit. In a transaction, `work` becomes a part of the transaction. */
  write<T>(context: OperationContext, durable: boolean, work: () => T): T {
    if (context.transaction) return work();
    const { connection } = context;
    try {
      connection.begin(durable);
      const result = work();
      connection.commit();
      context.undo.length = 0;
      return result;
    } catch (error) {
      connection.rollback();
      rollBackMemory(context);
      throw asMongoError(error);
    }
  }

  collection(context: OperationContext, namespace: string): Collection | undefined {
    context.read?.add(namespace);
    const collection = this.byNamespace.get(namespace);
    if (collection && (!collection.owner || collection.owner === context.transaction))
      return collection;
    if (context.transaction && this.isInSnapshot(context, namespace)) throw snapshotUnavailable();
    return undefined;
  }

  /** Tells whether a transaction's snapshot still has a collection that has been dropped since. */
  private isInSnapshot({ connection }: OperationContext, namespace: string): boolean {
    return connection.get('SELECT id FROM collections WHERE ns = ?', namespace) !== undefined;
  }

  collections(context: OperationContext): Collection[] {
    return [...this.byNamespace.values()].filter(
      ({ owner }) => !owner || owner === context.transaction,
    );
  }

  createCollection(
    context: OperationContext,
    namespace: string,
    options: Document = new Map(),
  ): Collection {
    const { connection } = context;
    connection.touch(namespace);
    const id = connection.run(
      'INSERT INTO collections (ns, options) VALUES (?, ?)',
      namespace,
      encodeDocument(options),
    );
    connection.exec(`CREATE TABLE d${id} (rid INTEGER PRIMARY KEY, doc BLOB NOT NULL)`);
    const collection = new Collection(id, namespace, options);
    collection.owner = context.transaction;
    this.byNamespace.set(namespace, collection);
    context.undo.push(() => {
      if (this.byNamespace.get(namespace) === collection) this.byNamespace.delete(namespace);
    });
    this.createIndex(context, collection, ID_INDEX);
    return collection;
  }

  dropCollection(context: OperationContext, collection: Collection): void {
    const { connection } = context;
    connection.touch(collection.namespace);
    for (const index of [...collection.indexes]) this.dropIndex(context, collection, index);
    connection.run('DELETE FROM collections WHERE id = ?', collection.id);
    this.dropTable(connection, collection.table);
    this.byNamespace.delete(collection.namespace);
    context.undo.push(() => this.byNamespace.set(collection.namespace, collection));
  }

  renameCollection(context: OperationContext, collection: Collection, to: string): void {
    const from = collection.namespace;
    context.connection.touch(from);
    context.connection.touch(to);
    context.connection.run('UPDATE collections SET ns = ? WHERE id = ?', to, collection.id);
    const move = (before: string, after: string): void => {
      this.byNamespace.delete(before);
      collection.namespace = after;
      this.byNamespace.set(after, collection);
    };
    move(from, to);
    context.undo.push(() => move(to, from));
  }

  createIndex(context: OperationContext, collection: Collection, spec: Document): Index {
    const { connection } = context;
    connection.touch(collection.namespace);
    const id = connection.run(
      'INSERT INTO indexes (collection, spec) VALUES (?, ?)',
      collection.id,
      encodeDocument(spec),
    );
    connection.exec(
      `CREATE TABLE i${id} (k BLOB NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY (k, rid)) WITHOUT ROWID`,
    );
    const index = new Index(id, collection.id, spec, []);
    this.fill(context, collection, index);
    const before = collection.indexes;
    collection.indexes = [...before, index];
    context.undo.push(() => {
      collection.indexes = before;
    });
    return index;
  }

  private fill(context: OperationContext, collection: Collection, index: Index): void {
    for (let last = 0; ; ) {
      const rows = context.connection.all(collection.sql.up, last, 500);
      for (const [, rid, bytes] of rows) {
        last = Number(rid);
        const document = decodeDocument(toBuffer(bytes));
        const entries = index.entries(document);
        checkUnique(context, collection, index, entries, last);
        addEntries(context, index, document, entries, last);
      }
      if (rows.length < 500) return;
    }
  }

  dropIndex(context: OperationContext, collection: Collection, index: Index): void {
    context.connection.touch(collection.namespace);
    context.connection.run('DELETE FROM indexes WHERE id = ?', index.id);
    this.dropTable(context.connection, index.table);
    const before = collection.indexes;
    collection.indexes = before.filter((other) => other !== index);
    context.undo.push(() => {
      collection.indexes = before;
    });
  }

  private dropTable(connection: Connection, table: string): void {
    for (const open of [this.main, connection, ...this.pool]) open.forget(table);
    connection.exec(`DROP TABLE ${table}`);
  }

  /** Returns a connection for a transaction's own snapshot. */
  borrow(): Connection {
    return this.pool.pop() ?? new Connection(this.file, this.durability, this.changes);
  }

  giveBack(connection: Connection): void {
    if (this.pool.length < 4) this.pool.push(connection);
    else connection.close();
  }

  close(): void {
    for (const connection of [...this.pool, this.main]) connection.close();
  }
}
