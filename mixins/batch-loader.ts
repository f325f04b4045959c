import DataLoader from 'dataloader';

/** Ids of one read; further ids of the same turn go into another. MongoDB sends up to 101 documents in its first reply. */
const MAX_BATCH = 100;

/** Finds one item by its id; null when there is none. Whoever asks in the same turn gets the same frozen item. */
export type BatchedFind<Id, T> = (id: Id) => Promise<Readonly<T> | null>;

/**
 * Joins the ids that are asked for in one turn of the event loop into one `read`, which gets each id once
 * and is sent after all of them were asked for. Its error rejects all who asked. Nothing is remembered.
 */
export function batchById<Id extends number | string, T extends object>(
  read: (ids: Id[]) => Promise<readonly T[]>,
  idOf: (item: T) => Id,
): BatchedFind<Id, T> {
  const loader = new DataLoader<Id, Readonly<T> | null>(
    async (ids) => {
      const items = await read([...new Set(ids)]);
      const byId = new Map(items.map((item) => [idOf(item), Object.freeze(item)]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: setImmediate },
  );
  return (id) => loader.load(id);
}

/** What this module uses of a mongoose model, whatever its documents are. */
interface Collection {
  collection: {
    find(filter: object, options: { projection: object }): { toArray(): Promise<unknown[]> };
  };
}

interface FindOptions<Key> {
  /** The field whose values are the ids, with a unique index; `_id` unless another is named. */
  key?: Key;
  projection?: Readonly<Record<string, 0 | 1>>;
  /** What a document has to meet besides; another one counts as missing. */
  filter?: object;
}

/** A batched find over a model's collection, past mongoose: ids and filters are not cast, documents are plain. */
export function batchFind<T extends { _id: number | string }, Key extends keyof T & string = '_id'>(
  { collection }: Collection,
  { key = '_id' as Key, projection = {}, filter = {} }: FindOptions<Key> = {},
): BatchedFind<T[Key] & (number | string), T> {
  type Id = T[Key] & (number | string);
  const read = (ids: Id[]) =>
    collection.find({ ...filter, [key]: { $in: ids } }, { projection }).toArray() as Promise<T[]>;
  return batchById<Id, T>(read, (item) => item[key] as Id);
}
