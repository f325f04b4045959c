import type { ChangedDocument, OutboxEntry } from '../../models/changed-document.ts';
import type { OutboxSource, WrittenChange } from './outbox-source.ts';

type Collection = OutboxSource['collection'];

/**
 * Takes carried entries out of their documents. A tombstone is deleted with the last of its entries, because
 * no sweep finds an empty outbox.
 */
export async function settleOutboxes(
  collection: Collection,
  changes: readonly WrittenChange[],
  carried: ReadonlySet<string>,
): Promise<void> {
  const entryIds = [...carried];
  const isWhole = ({ entries }: WrittenChange) => entries.every(({ id }) => carried.has(id));
  const created = changes.filter((change) => change.isCreated && isWhole(change));
  const isEmptied = await emptyCreated(collection, created);
  const others = changes.filter((change) => !isEmptied || !created.includes(change));
  const ids = others.map(({ _id }) => _id);
  const removed = changes.filter(({ isRemoved }) => isRemoved).map(({ _id }) => _id);
  if (removed.length) {
    await collection.deleteMany({
      _id: { $in: removed },
      removedAt: { $exists: true },
      outbox: { $not: { $elemMatch: { id: { $nin: entryIds } } } },
    });
  }
  if (!ids.length) return;
  const isKept = {
    $or: [{ removedAt: null }, { outbox: { $elemMatch: { id: { $nin: entryIds } } } }],
  };
  await collection.updateMany(
    { _id: { $in: ids }, ...(isKept as object) },
    { $pull: { outbox: { id: { $in: entryIds } } } },
  );
}

/**
 * Drops the outboxes of new documents as a whole, which costs less than to look for entries: at revision 1
 * an outbox has the entries of the creation only. False where a document has been changed meanwhile.
 */
async function emptyCreated(
  collection: Collection,
  created: readonly WrittenChange[],
): Promise<boolean> {
  if (!created.length) return true;
  const ids = created.map(({ _id }) => _id);
  const { matchedCount } = await collection.updateMany(
    { _id: { $in: ids }, revision: 1 },
    { $unset: { outbox: '' } },
  );
  return matchedCount === created.length;
}

/** Documents whose outbox has been waiting since before `due`, by the index of `outbox.at`. */
export async function findOutboxes(
  collection: Collection,
  due: Date,
  exceptIds: readonly (number | string)[],
  limit: number,
): Promise<WrittenChange[]> {
  const found = await collection
    .find<Pick<ChangedDocument, '_id' | 'removedAt'> & { outbox: OutboxEntry[] }>(
      { 'outbox.at': { $lte: due }, _id: { $nin: [...exceptIds] } },
      { projection: { outbox: 1, removedAt: 1 } },
    )
    .limit(limit)
    .toArray();
  return found.map(({ _id, outbox: entries, removedAt }) => ({
    _id,
    entries,
    isCreated: false,
    isRemoved: removedAt !== undefined,
  }));
}
