import DataLoader from 'dataloader';
import { insertAll } from './bulk-writes.ts';

/** Documents of one command; further documents of the same turn go into another. */
const MAX_BATCH = 100;

type Collection = Parameters<typeof insertAll>[0];

/**
 * Inserts documents past mongoose: nothing is cast. Those that are handed in within one turn of the event
 * loop go together in one command, and each has its own outcome. Every `_id` is drawn once.
 */
export function batchInsert<T extends { _id: number }>({
  collection,
}: {
  collection: Collection;
}): (document: T) => Promise<void> {
  const loader = new DataLoader<T, void>((documents) => insert(collection, documents), {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: setImmediate,
  });
  return (document) => loader.load(document);
}

async function insert(
  collection: Collection,
  documents: readonly { _id: number }[],
): Promise<(undefined | Error)[]> {
  const [first] = documents;
  if (documents.length === 1) {
    await collection.insertOne(first as never, { ignoreUndefined: true });
    return [undefined];
  }
  const outcomes = await insertAll(collection, documents);
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
}
