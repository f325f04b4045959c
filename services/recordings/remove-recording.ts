import { Problem, Unavailable } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { RecordingBatchModel } from '../../models/recording-batch.model.ts';
import type { Params } from '../contracts.ts';
import { recordings, type StoredRecording } from './recordings.store.ts';
import { showRecording } from './show-recording.ts';

/** Batches of one removal. Between two removals other work of the database goes on. */
const BATCHES = 50;
/** Milliseconds after which a call begins no further removal, well below the timeout of a call. */
const MAX_CALL_MS = 4_000;

/** Removes a recording; its batches are removed by its outbox. */
export async function removeRecording(
  recording: StoredRecording,
  change: ChangeContext,
): Promise<null> {
  const messages = [{ call: 'recordings.removeBatches', params: { recordingId: recording._id } }];
  await recordings.remove(recording, change, { show: showRecording, messages });
  return null;
}

/**
 * Removes the batches of removed recordings. Throws 503 when the time of the call is over: the repetition of the
 * outbox goes on with what is left.
 */
export async function removeBatches(
  { entries }: Params<'recordings.removeBatches'>,
  maxMs = MAX_CALL_MS,
): Promise<null> {
  const until = performance.now() + maxMs;
  for (const recordingId of new Set(entries.map((entry) => entry.recordingId))) {
    while (await removeSome(recordingId)) {
      if (performance.now() > until) {
        throw new Problem(Unavailable, 'The removal of the batches goes on.');
      }
    }
  }
  return null;
}

/** True where further batches may be left. */
async function removeSome(recordingId: number): Promise<boolean> {
  const rows = await RecordingBatchModel.find({ recordingId }, { _id: 1 }).limit(BATCHES).lean();
  if (rows.length)
    await RecordingBatchModel.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
  return rows.length === BATCHES;
}
