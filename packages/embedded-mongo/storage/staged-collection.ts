import { encodeDocument } from '../bson/encode.ts';
import { fail, indexBuildRuns } from '../errors.ts';
import { ASIDE, Collection, ID_INDEX, Index } from './catalog.ts';
import type { OperationContext } from './context.ts';
import { createDocumentTable, createIndexTable, reserveId } from './schema.ts';
import type { Store } from './store.ts';

/** A collection that is filled before it takes the place of another one. Its tables have names `ASIDE` until then. */
export class StagedCollection {
  readonly collection: Collection;
  private readonly store: Store;
  private readonly target: Collection | undefined;
  /** The indexes that the target had at the beginning. */
  private readonly targetIndexes: readonly Index[];

  /** Makes an empty collection with the options and indexes of the target, in the open unit. */
  constructor(store: Store, context: OperationContext, namespace: string) {
    const { connection } = context;
    this.store = store;
    this.target = store.collection(context, namespace);
    this.targetIndexes = this.target?.indexes ?? [];
    const id = reserveId(connection, 'collections');
    this.collection = new Collection(id, namespace, this.target?.options ?? new Map(), ASIDE);
    createDocumentTable(connection, this.collection.table);
    const specs = this.target ? this.targetIndexes.map(({ spec }) => spec) : [ID_INDEX];
    this.collection.indexes = specs.map((spec) => {
      const index = new Index(reserveId(connection, 'indexes'), id, spec, [], ASIDE);
      createIndexTable(connection, index.table);
      return index;
    });
  }

  get tables(): string[] {
    return [this.collection.table, ...this.collection.indexes.map(({ table }) => table)];
  }

  /** Takes the place of the target, in the open unit. Throws when the target or its indexes are others by now. */
  replaceTarget(context: OperationContext): void {
    const { store, target, collection } = this;
    const { id, namespace, options, indexes } = collection;
    this.checkTarget(context);
    if (target) store.dropCollection(context, target);
    const { connection } = context;
    const ready = new Collection(id, namespace, options);
    store.renameTable(connection, collection.table, ready.table);
    connection.run(
      'INSERT INTO collections (id, ns, options) VALUES (?, ?, ?)',
      id,
      namespace,
      encodeDocument(options),
    );
    ready.indexes = indexes.map((index) => store.publishIndex(context, id, index));
    store.addCollection(context, ready);
  }

  private checkTarget(context: OperationContext): void {
    const { namespace } = this.collection;
    const target = this.store.collection(context, namespace);
    const isSame =
      target === this.target &&
      (target?.indexes ?? []).length === this.targetIndexes.length &&
      this.targetIndexes.every((index) => target?.indexes.includes(index));
    if (!isSame)
      fail('CommandFailed', `the target collection ${namespace} changed while processing $out`);
    if (target?.build) throw indexBuildRuns(namespace);
  }
}
