import type { mongo } from 'mongoose';

/** Documents of one batch. Further documents take another batch. */
const BATCH_SIZE = 500;

export type DocumentId = number | string;
type Document = { _id: DocumentId };
export type Filter = Readonly<Record<string, unknown>>;
/** A model of any documents: batches use their ids and the fields of filters only. */
export interface AnyModel {
  modelName: string;
  schema: {
    path(name: string): { instance: string } | undefined;
    indexes(): [Record<string, unknown>, { sparse?: boolean; partialFilterExpression?: unknown }][];
  };
  collection: unknown;
  createCollection(): Promise<unknown>;
}

/** What a batch has left: nothing, or documents after an id or a cursor; after null the next batch begins again. */
export type Left = { after: DocumentId | null } | null;
/** Writes the documents of a batch that match. */
export type Write = (collection: mongo.Collection<Document>, filter: Filter) => Promise<unknown>;

export const collectionOf = (model: AnyModel): mongo.Collection<Document> =>
  model.collection as mongo.Collection<Document>;

export const remove: Write = (collection, filter) => collection.deleteMany(filter);

/** Finds documents by an index and writes them. The written documents match the filter no more. */
export async function writeByIndex(model: AnyModel, filter: Filter, write: Write): Promise<Left> {
  const ids = await idsOf(model, filter, BATCH_SIZE);
  if (ids.length) await write(collectionOf(model), { _id: { $in: ids } });
  return ids.length < BATCH_SIZE ? null : { after: null };
}

/**
 * Goes through the documents that an index finds, in the order of their ids, and writes them. The next batch begins after
 * the last id, whether the written documents still match or not.
 */
export async function writeInOrder(
  model: AnyModel,
  { filter, after }: { filter: Filter; after: DocumentId | null },
  write: Write,
): Promise<Left> {
  const later = after === null ? {} : { _id: { $gt: after } };
  const ids = await idsOf(model, { ...filter, ...later }, BATCH_SIZE, { _id: 1 });
  if (ids.length) await write(collectionOf(model), { _id: { $in: ids } });
  return ids.length < BATCH_SIZE ? null : { after: ids.at(-1) ?? null };
}

/** The ids of the first documents that match. */
export async function idsOf(
  model: AnyModel,
  filter: Filter,
  limit: number,
  sort: mongo.Sort = {},
): Promise<DocumentId[]> {
  const found = await collectionOf(model)
    .find(filter as mongo.Filter<Document>, { projection: { _id: 1 } })
    .sort(sort)
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}
