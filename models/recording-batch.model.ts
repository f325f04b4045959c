import { type DocumentOf, defineModel, field } from './define-model.ts';

/** Events of a recording that came in one request. They never change. */
const fields = {
  /** The id of the recording and the number of the batch: a recording has one batch of a number. */
  _id: field.string,
  workspaceId: field.number,
  recordingId: field.number,
  /** The number of the batch, from 1. It is part of the recording once the recording's `nextSequence` is greater. */
  sequence: field.number,
  /** The events as JSON. */
  events: field.string,
  eventCount: field.number,
  /** Bytes that count for the quota: those of `events` in UTF-8, and of the other fields. */
  eventBytes: field.number,
  /** The hash of the events as they were sent, without masked texts and keys. */
  hash: field.string,
  /** The screen after the last event. */
  screen: field.object({ width: field.number, height: field.number, scale: field.number }),
  /** The attempt that may withdraw the batch: the latest one that has found or stored it. */
  attempt: field.string,
};
export type RecordingBatchDocument = DocumentOf<typeof fields>;

export const recordingBatchId = (recordingId: number, sequence: number): string =>
  `${recordingId}/${sequence}`;

export const RecordingBatchModel = defineModel({
  name: 'RecordingBatch',
  collection: 'recording_batches',
  fields,
  indexes: [[{ recordingId: 1, sequence: 1 }], [{ workspaceId: 1, _id: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'events of a recording name no person' },
  },
});
