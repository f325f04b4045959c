import { StoredDocument } from '../bson/stored.ts';
import type { Document } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { ASIDE, type Collection, Index, type RunningBuild } from './catalog.ts';
import { toBuffer } from './connection.ts';
import type { OperationContext } from './context.ts';
import { addEntries, checkUnique, entriesOf, noteArrays } from './documents.ts';
import { KeyRuns } from './key-runs.ts';
import { PORTION_MS } from './scan.ts';
import { createIndexTable, reserveId } from './schema.ts';
import type { Store } from './store.ts';

/** Bytes of the entries that a build keeps in memory. Beyond it they are written in the order of their keys. */
const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
/** Documents of the largest page that a build reads, and entries that it writes between two looks at the clock. */
const LARGEST_PAGE = 64;

/**
 * Builds indexes of a collection in portions, between which others write. The build reads the documents by their rids
 * and writes the entries of many documents in the order of the keys, since a tree grows several times faster by sorted
 * keys. Each portion is a unit of its own, in which nobody else writes.
 *
 * A write of a document that the build has read writes the entries itself (`note`). The tables have names `ASIDE` until
 * the build is finished, so that neither a plan nor an older snapshot can use a half-built index.
 */
export class IndexBuild implements RunningBuild {
  readonly specs: readonly Document[];
  readonly ended: Promise<void>;
  /** Resolves `ended`. */
  readonly end: () => void;
  private readonly store: Store;
  private readonly collection: Collection;
  private readonly built: { index: Index; runs: KeyRuns }[];
  /** The largest rid that was read; infinite when all documents were. */
  private position = 0;
  private page = 4;
  private writing = false;
  /** The documents that were written after they were read: their entries in memory are out of date. */
  private readonly changed = new Set<number>();
  /** The documents that may lack entries or share a unique key, since their writers are not refused. */
  private readonly unchecked = new Set<number>();
  private aborted: string | undefined;

  /** Begins a build in the open unit. */
  constructor(
    store: Store,
    context: OperationContext,
    collection: Collection,
    specs: readonly Document[],
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.end = resolve;
    this.store = store;
    this.collection = collection;
    this.specs = specs;
    this.built = specs.map((spec) => {
      const id = reserveId(context.connection, 'indexes');
      const index = new Index(id, collection.id, spec, [], ASIDE);
      createIndexTable(context.connection, index.table);
      return { index, runs: new KeyRuns() };
    });
    collection.build = this;
    context.undo.push(() => {
      collection.build = undefined;
    });
  }

  /** The tables of the indexes until the build is finished. */
  get tables(): string[] {
    return this.built.map(({ index }) => index.table);
  }

  /** Does a portion of the work. Returns whether nothing is left to be done. Throws for a document that the indexes refuse. */
  advance(context: OperationContext): boolean {
    if (this.aborted !== undefined) fail('IndexBuildAborted', this.aborted);
    const end = performance.now() + PORTION_MS;
    this.check(context, end);
    while (!this.isRead && performance.now() < end) {
      if (this.writing) this.write(context, end);
      else this.read(context);
    }
    return this.isRead && this.unchecked.size === 0;
  }

  private get isRead(): boolean {
    return this.position === Number.POSITIVE_INFINITY && !this.writing;
  }

  private check(context: OperationContext, end: number): void {
    for (const rid of this.unchecked) {
      const row = context.connection.get(this.collection.sql.get, rid);
      const document = row && new StoredDocument(toBuffer(row[0]));
      for (const { index } of document ? this.built : [])
        checkUnique(context, this.collection, index, index.entries(document as Document), rid);
      this.unchecked.delete(rid);
      if (performance.now() > end) return;
    }
  }

  private read(context: OperationContext): void {
    const { sql } = this.collection;
    const started = performance.now();
    const rows = context.connection.all(sql.up, this.position, this.page);
    for (const [, rid, document] of rows) {
      this.position = Number(rid);
      this.collect(context, new StoredDocument(toBuffer(document)));
    }
    const bytes = this.built.reduce((sum, { runs }) => sum + runs.bytes, 0);
    if (rows.length < this.page) this.position = Number.POSITIVE_INFINITY;
    this.writing = rows.length < this.page || bytes > MAX_ENTRY_BYTES;
    const isQuick = performance.now() - started < PORTION_MS / 4;
    this.page = isQuick ? Math.min(this.page * 2, LARGEST_PAGE) : Math.ceil(this.page / 2);
  }

  private collect(context: OperationContext, document: Document): void {
    const rid = this.position;
    for (const { index, runs } of this.built) {
      const entries = index.entries(document);
      for (const { key } of entries) runs.add({ key, rid });
      if (entries.length > 0) noteArrays(context, index, document);
    }
  }

  private write(context: OperationContext, end: number): void {
    for (const { index, runs } of this.built) {
      for (let n = 1; ; n++) {
        const entry = runs.take();
        if (!entry) break;
        if (!this.changed.has(entry.rid)) this.insert(context, index, entry.key, entry.rid);
        if (n % LARGEST_PAGE === 0 && performance.now() > end) return;
      }
    }
    this.writing = false;
    this.changed.clear();
  }

  private insert(context: OperationContext, index: Index, key: Buffer, rid: number): void {
    const { connection } = context;
    if (index.unique && connection.get(index.sql.holder, key)) this.unchecked.add(rid);
    connection.run(index.sql.insert, key, rid);
  }

  note(
    context: OperationContext,
    rid: number,
    before: Document | undefined,
    after: Document | undefined,
  ): void {
    if (rid > this.position) return;
    if (before && after && this.built.every(({ index }) => index.keepsEntries(before, after)))
      return;
    if (!this.isRead && !this.changed.has(rid)) {
      this.changed.add(rid);
      context.undo.push(() => this.changed.delete(rid));
    }
    for (const { index } of this.built) {
      for (const { key } of entriesOf(index, before))
        context.connection.run(index.sql.remove, key, rid);
      if (after) addEntries(context, index, after, entriesOf(index, after), rid);
    }
    this.unchecked.add(rid);
  }

  abort(context: OperationContext, reason: string): void {
    const before = this.aborted;
    this.aborted = reason;
    context.undo.push(() => {
      this.aborted = before;
    });
  }

  /** Does the last portion and makes the indexes a part of the collection. Returns false when more is to be done. */
  finish(context: OperationContext): boolean {
    if (!this.advance(context)) return false;
    const { collection, store } = this;
    context.connection.touch(collection.namespace);
    const ready = this.built.map(({ index }) => store.publishIndex(context, collection.id, index));
    const before = collection.indexes;
    collection.indexes = [...before, ...ready];
    collection.build = undefined;
    context.undo.push(() => {
      collection.indexes = before;
      collection.build = this;
    });
    return true;
  }
}
