import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Recording } from './contract/resources.ts';
import { recordingFinished } from './recordings.problems.ts';
import { recordings, type StoredRecording } from './recordings.store.ts';
import { showRecording } from './show-recording.ts';

/** Pauses a recording, or resumes it. One that has the status already stays as it is; a finished one is a refusal. */
export function setStatus(
  recording: StoredRecording,
  status: 'RECORDING' | 'PAUSED',
  change: ChangeContext,
): Promise<Recording> {
  const decide = (current: StoredRecording) => {
    if (current.status === 'FINISHED') throw recordingFinished();
    return current.status === status ? null : { set: { status } };
  };
  return recordings.change(recording, decide, change).then(showRecording);
}

/** Finishes a recording for good. A finished one stays as it is. */
export function finishRecording(
  recording: StoredRecording,
  change: ChangeContext,
): Promise<Recording> {
  const decide = ({ status }: StoredRecording) =>
    status === 'FINISHED' ? null : { set: { status: 'FINISHED' as const, finishedAt: new Date() } };
  return recordings.change(recording, decide, change).then(showRecording);
}
