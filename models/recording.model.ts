import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import type { RecordingStatus } from './recording-status.ts';

/** A screen in the pixels of pointer coordinates, with the device pixels of each of these pixels. */
const screen = field.object({ width: field.number, height: field.number, scale: field.number });

/** A recording without its events. Its size does not depend on their number. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  /** The screen at the beginning. */
  screen,
  /** The screen after the last event. */
  currentScreen: screen,
  status: field.stringOf<RecordingStatus>(),
  /** The number of the next batch, from 1. Batches with a smaller number are part of the recording. */
  nextSequence: field.number,
  /** The number of events in the batches of the recording. */
  eventCount: field.number,
  /** Bytes that the batches take in the database. */
  eventBytes: field.number,
  /** The number of the recording among those of its workspace, below the quota; absent without a quota. */
  quotaSlot: field.optional(field.number),
  createdBy: actor,
  createdAt: field.date,
  finishedAt: field.nullable(field.date),
  ...changedFields,
};
export type RecordingDocument = DocumentOf<typeof fields>;

/** The name of the unique index by which at most one recording of a workspace holds a quota slot. */
export const RECORDING_QUOTA_INDEX = 'workspace_quota_slot';

export const RecordingModel = defineModel({
  name: 'Recording',
  collection: 'recordings',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, _id: 1 }],
    [
      { workspaceId: 1, quotaSlot: 1 },
      {
        name: RECORDING_QUOTA_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});
