import { decodeDocument } from '../bson/decode.ts';
import { showDocument } from '../bson/show.ts';
import { type Document, toDocument, type Value } from '../bson/values.ts';
import { MongoError } from '../errors.ts';
import type { Entry } from '../query/key-generator.ts';
import type { Collection, Index } from './catalog.ts';
import { toBuffer, writeConflict } from './connection.ts';
import type { OperationContext } from './context.ts';

/** Inserts a document and its index entries. A duplicate key is found before anything is written. */
export function insertDocument(
  context: OperationContext,
  collection: Collection,
  bytes: Buffer,
  document: Document,
): void {
  const planned = collection.indexes.map((index) => {
    const entries = index.entries(document);
    checkUnique(context, collection, index, entries);
    return entries;
  });
  writeWhole(context, collection, () => {
    const rid = context.connection.run(collection.sql.insert, bytes);
    for (const [i, index] of collection.indexes.entries()) {
      addEntries(context, index, document, planned[i] as Entry[], rid);
    }
    collection.build?.note(context, rid, undefined, document);
  });
}

/** Runs a write that must be whole. `halfway` stays set after an error, and then the whole unit is rolled back. */
function writeWhole(context: OperationContext, collection: Collection, write: () => void): void {
  context.connection.touch(collection.namespace);
  context.halfway = true;
  write();
  context.halfway = false;
}

/** Changes one row. Throws a write conflict when the row is missing, since it was not read in this unit. */
function changeOne(context: OperationContext, sql: string, ...parameters: (Buffer | number)[]) {
  if (context.connection.change(sql, ...parameters) !== 1) throw writeConflict();
}

export function replaceDocument(
  context: OperationContext,
  collection: Collection,
  rid: number,
  before: Document,
  after: Document,
  bytes: Buffer,
): void {
  const changes: { index: Index; removed: Entry[]; added: Entry[] }[] = [];
  for (const index of collection.indexes) {
    if (index.isId() || index.keepsEntries(before, after)) continue;
    const old = index.entries(before);
    const next = index.entries(after);
    if (next.length > 0) noteArrays(context, index, after);
    if (sameKeys(old, next)) continue;
    checkUnique(context, collection, index, next, rid);
    const kept = new Set(old.map(text));
    const wanted = new Set(next.map(text));
    changes.push({
      index,
      removed: old.filter((entry) => !wanted.has(text(entry))),
      added: next.filter((entry) => !kept.has(text(entry))),
    });
  }
  changeOne(context, collection.sql.update, bytes, rid);
  writeWhole(context, collection, () => {
    for (const { index, removed, added } of changes) {
      for (const { key } of removed) context.connection.run(index.sql.remove, key, rid);
      addEntries(context, index, after, added, rid);
    }
    collection.build?.note(context, rid, before, after);
  });
}

export function removeDocument(
  context: OperationContext,
  collection: Collection,
  rid: number,
  document: Document,
): void {
  const entries = collection.indexes.map((index) => index.entries(document));
  changeOne(context, collection.sql.remove, rid);
  writeWhole(context, collection, () => {
    for (const [i, { sql }] of collection.indexes.entries())
      for (const { key } of entries[i] as Entry[]) context.connection.run(sql.remove, key, rid);
    collection.build?.note(context, rid, document, undefined);
  });
}

const text = ({ key }: Entry): string => key.toString('latin1');

const sameKeys = (a: Entry[], b: Entry[]): boolean =>
  a.length === b.length && a.every(({ key }, i) => key.equals((b[i] as Entry).key));

export function addEntries(
  context: OperationContext,
  index: Index,
  document: Document,
  entries: Entry[],
  rid: number,
): void {
  for (const { key } of entries) context.connection.run(index.sql.insert, key, rid);
  if (entries.length > 0) noteArrays(context, index, document);
}

/** Writes the entries of all documents into a new index. Throws for documents that the index refuses. */
export function fillIndex(context: OperationContext, collection: Collection, index: Index): void {
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

/** Returns the entries of a document; none for no document and for one that the index refuses. */
export function entriesOf(index: Index, document: Document | undefined): Entry[] {
  if (!document) return [];
  try {
    return index.entries(document);
  } catch (error) {
    if (error instanceof MongoError) return [];
    throw error;
  }
}

/** Stores the paths of a document's arrays in the index, because the planner's bounds are wider for such paths. */
export function noteArrays(context: OperationContext, index: Index, document: Document): void {
  if (!index.generator.meetsArray(document)) return;
  const found = new Set<string>();
  index.generator.arrays(document, found);
  const before = index.multikey;
  if ([...found].every((path) => before.has(path))) return;
  context.undo.push(() => {
    index.multikey = before;
  });
  index.multikey = new Set([...before, ...found]);
  context.connection.run(
    'UPDATE indexes SET multikey = ? WHERE id = ?',
    JSON.stringify([...index.multikey]),
    index.id,
  );
}

/** Throws when another document has one of the entries in a unique index. `own` is the row of the document itself. */
export function checkUnique(
  context: OperationContext,
  collection: Collection,
  index: Index,
  entries: Entry[],
  own?: number,
): void {
  if (!index.unique) return;
  for (const { key, values } of entries) {
    const { connection } = context;
    const holder =
      own === undefined
        ? connection.get(index.sql.holder, key)
        : connection.get(index.sql.rival, key, own);
    if (holder) throw duplicateKey(collection, index, values);
  }
}

function duplicateKey(
  collection: Collection,
  index: Index,
  values: readonly (Value | undefined)[],
): MongoError {
  const keyValue = new Map(index.generator.names.map((name, i) => [name, values[i] ?? null]));
  return new MongoError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: ${showDocument(keyValue)}`,
    toDocument({ keyPattern: index.key, keyValue }),
  );
}
