import { type Document, toDocument, type Value } from '../bson/values.ts';
import type { Collection, Index } from '../storage/catalog.ts';
import { removeDocument } from '../storage/documents.ts';
import { type EngineParts, Request } from './request.ts';
import { eachMatch } from './update.ts';
import { WriteUnit } from './write-unit.ts';

/** Removes the documents that have expired by a TTL index: their date, or their least date, has passed. */
export async function expireDocuments(engine: EngineParts, now = Date.now()): Promise<void> {
  for (const collection of engine.store.collections(engine.store.context())) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds !== undefined) await expire(engine, collection, index, now);
    }
  }
}

async function expire(
  engine: EngineParts,
  collection: Collection,
  index: Index,
  now: number,
): Promise<void> {
  const due = new Date(now - (index.expireAfterSeconds ?? 0) * 1000);
  const [field = ''] = index.generator.names;
  const clauses: Document[] = [new Map<string, Value>([[field, toDocument({ $lt: due })]])];
  if (index.partialFilter) clauses.push(index.partialFilter);
  const filter = new Map<string, Value>([['$and', clauses]]);
  const request = new Request(
    engine,
    toDocument({ delete: '', $db: 'local' }),
    new Map(),
    engine.store.context(),
  );
  const unit = new WriteUnit(request);
  try {
    await unit.begin();
    await eachMatch(
      request,
      unit,
      collection,
      { filter, hint: index.name },
      true,
      ({ rid, document }) => removeDocument(request.context, collection, rid, document),
    );
    unit.commit();
  } catch (error) {
    unit.rollback(error);
    throw error;
  }
}
