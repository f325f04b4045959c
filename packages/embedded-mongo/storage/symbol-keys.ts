import { decodeDocument } from '../bson/decode.ts';
import { isSymbol, TYPE, type Value } from '../bson/values.ts';
import type { Collection } from './catalog.ts';
import { toBuffer } from './connection.ts';
import type { OperationContext } from './context.ts';
import { addEntries, entriesOf } from './documents.ts';
import { setFormat } from './schema.ts';

/** Documents that are read at a time. */
const PAGE = 500;

/**
 * Brings the file to format 3, in which a symbol has the key of its string. Call it in one unit, so that a killed start
 * leaves the older format to the next start.
 */
export function rewriteSymbolKeys(
  context: OperationContext,
  collections: Iterable<Collection>,
): void {
  for (const collection of collections) rewriteEntries(context, collection);
  setFormat(context.connection);
}

/**
 * Writes the index entries of documents with symbols anew. A unique index may get two documents that the older format
 * told apart: both are found until a client removes one.
 */
function rewriteEntries(context: OperationContext, collection: Collection): void {
  const { connection } = context;
  const rids = symbolHolders(context, collection);
  if (rids.length === 0) return;
  for (const index of collection.indexes) {
    const old = `DELETE FROM ${index.table} WHERE rid IN (SELECT value FROM json_each(?))`;
    connection.run(old, JSON.stringify(rids));
    for (const rid of rids) {
      const document = decodeDocument(toBuffer(connection.get(collection.sql.get, rid)?.[0]));
      addEntries(context, index, document, entriesOf(index, document), rid);
    }
  }
}

/** Returns the rids of the documents with symbols. SQLite passes over documents without a byte like a symbol's type. */
function symbolHolders({ connection }: OperationContext, { table }: Collection): number[] {
  const sql = `SELECT rid, doc FROM ${table} WHERE rid > ? AND instr(doc, ?) ORDER BY rid LIMIT ?`;
  const type = Buffer.from([TYPE.symbol]);
  const found: number[] = [];
  for (let last = 0; ; ) {
    const rows = connection.all(sql, last, type, PAGE);
    for (const [rid, bytes] of rows) {
      last = Number(rid);
      if (hasSymbol(decodeDocument(toBuffer(bytes)))) found.push(last);
    }
    if (rows.length < PAGE) return found;
  }
}

function hasSymbol(value: Value): boolean {
  if (value instanceof Map) return value.values().some(hasSymbol);
  return Array.isArray(value) ? value.some(hasSymbol) : isSymbol(value);
}
