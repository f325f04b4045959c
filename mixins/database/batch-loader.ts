import DataLoader from 'dataloader';

/** Ids of one read; further ids of the same turn go into another. MongoDB sends up to 101 documents in its first reply. */
const MAX_BATCH = 100;

/** Finds one item by its id; null when there is none. Calls of the same turn get the same item, frozen with its arrays. */
export type BatchedFind<Id, T> = (id: Id) => Promise<Readonly<T> | null>;

/**
 * Joins the ids that are asked for in one turn of the event loop into one `read`, which gets each id once
 * and is sent after all of them were asked for. An error of the read rejects all finds of the turn.
 * Nothing is remembered.
 */
export function batchById<Id extends number | string, T extends object>(
  read: (ids: Id[]) => Promise<readonly T[]>,
  idOf: (item: T) => Id,
): BatchedFind<Id, T> {
  const loader = new DataLoader<Id, Readonly<T> | null>(
    async (ids) => {
      const items = await read([...new Set(ids)]);
      const byId = new Map(items.map((item) => [idOf(item), freezeItem(item)]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: setImmediate },
  );
  return (id) => loader.load(id);
}

/** Freezes the item and the arrays that its fields hold. Objects within them can still be changed. */
function freezeItem<T extends object>(item: T): Readonly<T> {
  for (const value of Object.values(item)) if (Array.isArray(value)) Object.freeze(value);
  return Object.freeze(item);
}

/** The part of a mongoose model that this module uses. */
interface Collection {
  collection: {
    find(filter: object, options: { projection: object }): { toArray(): Promise<unknown[]> };
  };
}

interface FindOptions<Key> {
  /** The field whose values are the ids, with a unique index; `_id` unless another is named. */
  key?: Key;
  projection?: Readonly<Record<string, 0 | 1>>;
  /** A condition that every document has to meet besides; a document that does not meet it counts as missing. */
  filter?: object;
}

/**
 * A batched find over a model's collection, past mongoose: ids and filters are not cast, documents are
 * plain. A tombstone (`mixins/changes`) counts as missing.
 */
export function batchFind<T extends { _id: number | string }, Key extends keyof T & string = '_id'>(
  { collection }: Collection,
  { key = '_id' as Key, projection = {}, filter = {} }: FindOptions<Key> = {},
): BatchedFind<T[Key] & (number | string), T> {
  type Id = T[Key] & (number | string);
  const read = (ids: Id[]) =>
    collection
      .find({ ...filter, [key]: { $in: ids }, removedAt: null }, { projection })
      .toArray() as Promise<T[]>;
  return batchById<Id, T>(read, (item) => item[key] as Id);
}
