import DataLoader from 'dataloader';
import { type InsertCollection, insertAll } from './bulk-writes.ts';

/** Documents of one command; further documents of the same turn go into another. */
const MAX_BATCH = 100;

/**
 * Makes a function that inserts a document past mongoose: values are not cast. Documents of one turn of the event
 * loop share one command, and each has its own outcome. A large document has a command of its own, so that no other
 * document waits for its bytes. Every `_id` is drawn once.
 */
export function batchInsert<T extends { _id: number | string }>(
  { collection }: { collection: InsertCollection },
  isLarge: (document: T) => boolean,
): (document: T) => Promise<void> {
  const loader = new DataLoader<T, void>((documents) => insert(collection, documents), {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: setImmediate,
  });
  return (document) =>
    isLarge(document) ? insertOne(collection, document) : loader.load(document);
}

async function insertOne(
  collection: InsertCollection,
  document: { _id: number | string },
): Promise<void> {
  await collection.insertOne(document as never, { ignoreUndefined: true });
}

async function insert(
  collection: InsertCollection,
  documents: readonly { _id: number | string }[],
): Promise<(undefined | Error)[]> {
  const [first, ...others] = documents;
  if (first && !others.length) {
    await insertOne(collection, first);
    return [undefined];
  }
  const outcomes = await insertAll(collection, documents);
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
}
