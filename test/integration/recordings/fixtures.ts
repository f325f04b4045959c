import { RecordingModel } from '../../../models/recording.model.ts';
import { RecordingBatchModel } from '../../../models/recording-batch.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import { createRecording } from '../../../services/recordings/create-recording.ts';
import { recordings, type StoredRecording } from '../../../services/recordings/recordings.store.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

/** Gives the tests of a file a database of recordings. */
export const useRecordings = () =>
  useDatabase([RecordingModel, RecordingBatchModel, SequenceModel]);

export const CHANGE = changeContext({ audit: { none: 'a test' } });

/** Creates a recording without events, and returns its id. */
export const newRecording = async (workspaceId = 1): Promise<number> => {
  const screen = { width: 10, height: 10, scale: 1 };
  return (await createRecording({ workspaceId, name: 'x', screen }, CHANGE)).id;
};

export async function readRecording(id: number): Promise<StoredRecording> {
  const recording = await recordings.find(id);
  if (!recording) throw new Error('the recording has gone');
  return recording;
}

/** The code of a refusal, the message of another error, or `answered`. */
export const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'answered',
    ({ type, message }: { type?: string; message: string }) => type ?? message,
  );
