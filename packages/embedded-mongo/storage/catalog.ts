import { isNumeric, toDouble } from '../bson/numbers.ts';
import { pathOf } from '../bson/path.ts';
import { StoredDocument } from '../bson/stored.ts';
import { type Document, isDocument, type Value } from '../bson/values.ts';
import { type Entry, KeyGenerator } from '../query/key-generator.ts';
import { compileFilter, type Predicate } from '../query/match.ts';
import type { OperationContext } from './context.ts';
import { fieldsAsked } from './partial.ts';

/**
 * The start of the names of tables that no collection or index has: those that are being made, and large ones that were
 * dropped. A start of the server removes them.
 */
export const ASIDE = 'x_';

/** Returns the SQL statements of one index's table i<id>(k, rid), which is ordered by k and rid. */
function indexStatements(table: string, documents: string) {
  return {
    insert: `INSERT INTO ${table} (k, rid) VALUES (?, ?)`,
    remove: `DELETE FROM ${table} WHERE k = ? AND rid = ?`,
    holder: `SELECT rid FROM ${table} WHERE k = ? LIMIT 1`,
    rival: `SELECT rid FROM ${table} WHERE k = ? AND rid <> ? LIMIT 1`,
    count: `SELECT count(*) FROM ${table} WHERE k >= ? AND k < ?`,
    countUpTo: `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE k >= ? AND k < ? LIMIT ?)`,
    withKeys: walkStatements(table, documents, 'i.k'),
    withoutKeys: walkStatements(table, documents, 'NULL'),
  };
}

/** Returns the SQL statements that walk an index. They select keys only if `key` asks for them, since keys cost time. */
function walkStatements(table: string, documents: string, key: string) {
  const rows = `SELECT ${key}, i.rid, d.doc FROM ${table} i CROSS JOIN ${documents} d ON d.rid = i.rid WHERE`;
  return {
    one: `${rows} i.k = ? LIMIT 1`,
    up: `${rows} i.k >= ? AND i.k < ? ORDER BY i.k, i.rid LIMIT ?`,
    upFrom: `${rows} (i.k, i.rid) > (?, ?) AND i.k < ? ORDER BY i.k, i.rid LIMIT ?`,
    down: `${rows} i.k >= ? AND i.k < ? ORDER BY i.k DESC, i.rid DESC LIMIT ?`,
    downFrom: `${rows} (i.k, i.rid) < (?, ?) AND i.k >= ? ORDER BY i.k DESC, i.rid DESC LIMIT ?`,
  };
}

function collectionStatements(table: string) {
  return {
    get: `SELECT doc FROM ${table} WHERE rid = ?`,
    insert: `INSERT INTO ${table} (doc) VALUES (?)`,
    update: `UPDATE ${table} SET doc = ? WHERE rid = ?`,
    remove: `DELETE FROM ${table} WHERE rid = ?`,
    up: `SELECT NULL, rid, doc FROM ${table} WHERE rid > ? ORDER BY rid LIMIT ?`,
    down: `SELECT NULL, rid, doc FROM ${table} WHERE rid < ? ORDER BY rid DESC LIMIT ?`,
    count: `SELECT count(*) FROM ${table}`,
  };
}

/** Returns the top-level field of a path. */
const topOf = (path: string): string => pathOf(path)[0] as string;

export class Index {
  readonly id: number;
  readonly spec: Document;
  readonly name: string;
  readonly key: Document;
  readonly generator: KeyGenerator;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: Document | undefined;
  readonly expireAfterSeconds: number | undefined;
  /** The paths of arrays that documents have had in the fields of this index. */
  multikey: ReadonlySet<string>;
  readonly table: string;
  readonly sql: ReturnType<typeof indexStatements>;
  private readonly covers: Predicate | undefined;
  /** The top-level fields that decide the keys of a document; undefined when every field may decide them. */
  private readonly fields: ReadonlySet<string> | undefined;

  /** The `prefix` is that of the index's table, see `ASIDE`. */
  constructor(
    id: number,
    collection: number,
    spec: Document,
    multikey: Iterable<string>,
    prefix = '',
  ) {
    this.id = id;
    this.spec = spec;
    this.name = String(spec.get('name'));
    this.key = spec.get('key') as Document;
    this.generator = new KeyGenerator(this.key);
    this.unique = spec.get('unique') === true || this.name === '_id_';
    this.sparse = spec.get('sparse') === true;
    const partial = spec.get('partialFilterExpression');
    this.partialFilter = isDocument(partial) ? partial : undefined;
    this.covers = this.partialFilter && compileFilter(this.partialFilter);
    const asked = fieldsAsked(this.partialFilter);
    this.fields = asked && new Set([...this.generator.names, ...asked].map(topOf));
    const expiry = spec.get('expireAfterSeconds');
    this.expireAfterSeconds = isNumeric(expiry) ? toDouble(expiry) : undefined;
    this.multikey = new Set(multikey);
    this.table = `${prefix}i${id}`;
    this.sql = indexStatements(this.table, `d${collection}`);
  }

  isId(): boolean {
    return this.name === '_id_';
  }

  /** Tells whether a change left the document's keys unchanged. */
  keepsEntries(before: Document, after: Document): boolean {
    if (!(before instanceof StoredDocument && after instanceof StoredDocument)) return false;
    if (!this.fields) return false;
    for (const name of this.fields) if (!before.shares(name, after)) return false;
    return true;
  }

  /** Returns the document's keys in this index. A document that the index does not cover has none. */
  entries(document: Document): Entry[] {
    if (this.covers && !this.covers(document)) return [];
    const entries = this.generator.entries(document);
    if (!this.sparse) return entries;
    return entries.filter(({ values }) => values.some((value) => value !== undefined));
  }
}

/** A build of indexes, as the writers of the collection see it. */
export interface RunningBuild {
  readonly specs: readonly Document[];
  /** Resolves when the indexes are ready or the build has failed. */
  readonly ended: Promise<void>;
  /** Notes the write of a document: an insert has no `before`, a removal has no `after`. */
  note(
    context: OperationContext,
    rid: number,
    before: Document | undefined,
    after: Document | undefined,
  ): void;
  /** Ends the build with an error. */
  abort(context: OperationContext, reason: string): void;
}

export class Collection {
  readonly id: number;
  namespace: string;
  readonly options: Document;
  indexes: Index[] = [];
  readonly table: string;
  readonly sql: ReturnType<typeof collectionStatements>;
  /** The open transaction that made this collection. Other operations do not see the collection. */
  owner: unknown;
  /** The indexes that are being built. */
  build: RunningBuild | undefined;

  /** The `prefix` is that of the collection's table, see `ASIDE`. */
  constructor(id: number, namespace: string, options: Document, prefix = '') {
    this.id = id;
    this.namespace = namespace;
    this.options = options;
    this.table = `${prefix}d${id}`;
    this.sql = collectionStatements(this.table);
  }

  index(name: string): Index | undefined {
    return this.indexes.find((index) => index.name === name);
  }
}

export const ID_INDEX: Document = new Map<string, Value>([
  ['v', 2],
  ['key', new Map([['_id', 1]])],
  ['name', '_id_'],
]);

export const databaseOf = (namespace: string): string => namespace.slice(0, namespace.indexOf('.'));
