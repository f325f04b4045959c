import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document } from '../bson/values.ts';
import { snapshotUnavailable } from '../errors.ts';
import { ASIDE, Collection, ID_INDEX, Index } from './catalog.ts';
import { Changes } from './changes.ts';
import { asMongoError, Connection, type Durability, toBuffer } from './connection.ts';
import { type OperationContext, rollBackMemory } from './context.ts';
import { fillIndex } from './documents.ts';
import { isSmallTable, leftoverTables, removeRows } from './leftovers.ts';
import { LiveHeap } from './live-heap.ts';
import { createDocumentTable, createIndexTable, prepareSchema } from './schema.ts';
import { rewriteSymbolKeys } from './symbol-keys.ts';

/** The name of the data file in its folder. */
export const DATA_FILE = 'mongo.sqlite';

/** The database file: its collections and indexes, and the units in which it is written. */
export class Store {
  readonly main: Connection;
  readonly changes = new Changes();
  readonly heap = new LiveHeap();
  private readonly file: string;
  private readonly durability: Durability;
  private readonly pool: Connection[] = [];
  private readonly byNamespace = new Map<string, Collection>();
  /** Tables `ASIDE` that nobody needs any more. They are removed in portions. */
  readonly leftovers: string[] = [];

  constructor(file: string, durability: Durability) {
    this.file = file;
    this.durability = durability;
    this.main = new Connection(file, durability, this.changes);
    const isOlder = prepareSchema(this.main, file);
    this.load();
    if (isOlder) {
      const context = this.context();
      this.write(context, true, () => rewriteSymbolKeys(context, this.byNamespace.values()));
    }
    for (const table of leftoverTables(this.main)) this.leftovers.push(table);
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
    return { connection: this.main, heap: this.heap, transaction: undefined, undo: [] };
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
    const id = connection.run(
      'INSERT INTO collections (ns, options) VALUES (?, ?)',
      namespace,
      encodeDocument(options),
    );
    const collection = new Collection(id, namespace, options);
    createDocumentTable(connection, collection.table);
    collection.owner = context.transaction;
    this.addCollection(context, collection);
    this.createIndex(context, collection, ID_INDEX);
    return collection;
  }

  /** Adds a collection whose tables and rows in the catalog exist. */
  addCollection(context: OperationContext, collection: Collection): void {
    const { namespace } = collection;
    context.connection.touch(namespace);
    this.byNamespace.set(namespace, collection);
    context.undo.push(() => {
      if (this.byNamespace.get(namespace) === collection) this.byNamespace.delete(namespace);
    });
  }

  dropCollection(context: OperationContext, collection: Collection): void {
    const { connection } = context;
    connection.touch(collection.namespace);
    collection.build?.abort(context, 'Index build failed :: caused by :: collection dropped');
    for (const index of [...collection.indexes]) this.dropIndex(context, collection, index);
    connection.run('DELETE FROM collections WHERE id = ?', collection.id);
    this.dropTable(context, collection.table);
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
    const index = new Index(id, collection.id, spec, []);
    createIndexTable(connection, index.table);
    fillIndex(context, collection, index);
    const before = collection.indexes;
    collection.indexes = [...before, index];
    context.undo.push(() => {
      collection.indexes = before;
    });
    return index;
  }

  /** Writes an index that was made `ASIDE` into the catalog, and returns it with its own table. */
  publishIndex({ connection }: OperationContext, collection: number, aside: Index): Index {
    const { id, spec, multikey } = aside;
    const index = new Index(id, collection, spec, multikey);
    this.renameTable(connection, aside.table, index.table);
    connection.run(
      'INSERT INTO indexes (id, collection, spec, multikey) VALUES (?, ?, ?, ?)',
      id,
      collection,
      encodeDocument(spec),
      JSON.stringify([...multikey]),
    );
    return index;
  }

  dropIndex(context: OperationContext, collection: Collection, index: Index): void {
    context.connection.touch(collection.namespace);
    context.connection.run('DELETE FROM indexes WHERE id = ?', index.id);
    this.dropTable(context, index.table);
    const before = collection.indexes;
    collection.indexes = before.filter((other) => other !== index);
    context.undo.push(() => {
      collection.indexes = before;
    });
  }

  /** Drops a table. A large table is put `ASIDE`, since dropping it at once takes long. */
  private dropTable(context: OperationContext, table: string): void {
    const { connection } = context;
    if (isSmallTable(connection, table)) {
      this.forget(connection, table);
      connection.exec(`DROP TABLE ${table}`);
      return;
    }
    const aside = ASIDE + table;
    this.renameTable(connection, table, aside);
    this.leftovers.push(aside);
    context.undo.push(() => {
      this.leftovers.splice(this.leftovers.indexOf(aside), 1);
    });
  }

  renameTable(connection: Connection, from: string, to: string): void {
    this.forget(connection, from);
    connection.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
  }

  /** Removes some rows of the first leftover table, or the table when it is empty. */
  removeLeftover(context: OperationContext): void {
    const [table] = this.leftovers;
    if (table === undefined || removeRows(context.connection, table)) return;
    this.forget(context.connection, table);
    context.connection.exec(`DROP TABLE ${table}`);
    this.leftovers.shift();
    context.undo.push(() => this.leftovers.unshift(table));
  }

  private forget(connection: Connection, table: string): void {
    for (const open of [this.main, connection, ...this.pool]) open.forget(table);
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
