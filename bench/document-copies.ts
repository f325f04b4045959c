import type { Collection, Document } from 'mongodb';

/** A document as the service stores it. */
export type StoredDocument = Document & { _id: number };

/** Documents that one command inserts. */
const BATCH = 2_000;

/**
 * Inserts `count` copies of a document with ids from `firstId` on. `changeOf` gives the fields of the n-th copy that differ.
 */
export async function insertCopies<T extends StoredDocument>(
  collection: Collection<StoredDocument>,
  document: T,
  { count, firstId }: { count: number; firstId: number },
  changeOf: (n: number) => Document = () => ({}),
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const copies = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => ({
      ...document,
      ...changeOf(from + n),
      _id: firstId + from + n,
    }));
    await collection.insertMany(copies, { ordered: false });
  }
}
