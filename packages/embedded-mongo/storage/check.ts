import { decodeDocument } from '../bson/decode.ts';
import type { Collection, Index } from './catalog.ts';
import { toBuffer } from './connection.ts';
import type { Store } from './store.ts';

/** Checks a database file and returns its faults; an empty list for a sound file. */
export function checkStore(store: Store): string[] {
  const faults: string[] = [];
  for (const [line] of store.main.all('PRAGMA integrity_check')) {
    if (line !== 'ok') faults.push(`SQLite: ${String(line)}`);
  }
  for (const collection of store.collections(store.context())) {
    for (const index of collection.indexes)
      for (const fault of checkIndex(store, collection, index)) faults.push(fault);
  }
  return faults;
}

/** Checks that an index has the keys of every document and no other keys. */
function checkIndex(store: Store, collection: Collection, index: Index): string[] {
  const faults: string[] = [];
  const label = `${collection.namespace} ${index.name}`;
  const holder = `SELECT count(*) FROM ${index.table} WHERE k = ? AND rid = ?`;
  let expected = 0;
  for (let last = 0; ; ) {
    const rows = store.main.all(collection.sql.up, last, 500);
    for (const [, rid, bytes] of rows) {
      last = Number(rid);
      const document = decodeDocument(toBuffer(bytes));
      const entries = index.entries(document);
      const arrays = new Set<string>();
      if (entries.length > 0) index.generator.arrays(document, arrays);
      expected += entries.length;
      for (const { key } of entries) {
        if (store.main.get(holder, key, last)?.[0] !== 1)
          faults.push(`${label}: document ${last} has a key that is missing`);
      }
      if ([...arrays].some((path) => !index.multikey.has(path))) {
        faults.push(`${label}: document ${last} has an array that the index does not know of`);
      }
    }
    if (rows.length < 500) break;
  }
  const found = Number(store.main.get(`SELECT count(*) FROM ${index.table}`)?.[0]);
  if (found !== expected) faults.push(`${label}: ${found} keys, where ${expected} are due`);
  if (index.unique) {
    const twice = store.main.get(
      `SELECT count(*) FROM (SELECT 1 FROM ${index.table} GROUP BY k HAVING count(*) > 1)`,
    );
    if (Number(twice?.[0]) > 0)
      faults.push(`${label}: ${Number(twice?.[0])} keys stand twice in a unique index`);
  }
  return faults;
}
