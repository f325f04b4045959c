import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import { type RecordingDocument, RecordingModel } from '../../models/recording.model.ts';
import { noRecording } from './recordings.problems.ts';

export type StoredRecording = Shown<RecordingDocument, 'quotaSlot'>;

/** The one way to write recordings. */
export const recordings = changesOf(RecordingModel, {
  hidden: ['quotaSlot'],
  missing: noRecording,
});
