import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import {
  type RecordingBatchDocument,
  RecordingBatchModel,
  recordingBatchId,
} from '../../../models/recording-batch.model.ts';

type Batch = Omit<RecordingBatchDocument, '_id'>;
/** What counts of a batch beside its events. */
export type StoredBatch = Omit<RecordingBatchDocument, 'events'>;
type BatchName = Pick<Batch, 'recordingId' | 'sequence'>;

const collection =
  RecordingBatchModel.collection as unknown as mongo.Collection<RecordingBatchDocument>;
const projection = { events: 0 };
const idOf = ({ recordingId, sequence }: BatchName) => recordingBatchId(recordingId, sequence);

/**
 * Stores a batch, or finds the one that is stored under its number: then this attempt is the one that may withdraw it.
 * Null when the stored batch was withdrawn meanwhile.
 */
export async function storeBatch(batch: Batch): Promise<StoredBatch | null> {
  const _id = idOf(batch);
  try {
    await collection.insertOne({ _id, ...batch });
    return { _id, ...batch };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const { attempt } = batch;
  const options = { returnDocument: 'after', projection } as const;
  return collection.findOneAndUpdate({ _id }, { $set: { attempt } }, options);
}

/** Removes a batch that is not part of its recording, unless another attempt has found it meanwhile. */
export async function withdrawBatch({ _id, attempt }: StoredBatch): Promise<void> {
  await collection.deleteOne({ _id, attempt });
}

export const findBatch = (name: BatchName): Promise<StoredBatch | null> =>
  collection.findOne({ _id: idOf(name) }, { projection });
