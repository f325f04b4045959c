import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { readInBatches } from '../../../mixins/database/row-cursor.ts';
import { RecordingBatchModel } from '../../../models/recording-batch.model.ts';
import type { RecordingSteps } from '../contract/resources.ts';
import type { KeptEvent } from '../events/join-masked-keys.ts';
import { noRecording, recordingTooLong } from '../recordings.problems.ts';
import type { StoredRecording } from '../recordings.store.ts';
import { Actions } from './actions.ts';
import { isTooLong, writeSteps } from './write-steps.ts';

/** Recordings whose steps are remembered, each up to 256 KiB. Beyond it the steps of the least recently used one are made again. */
const MAX_REMEMBERED = 50;
/** Batches of one reply of the database. Each has up to a megabyte of events. */
const READ_AT_ONCE = 4;

/** Makes the steps of recordings. Events never change, so that the steps of the same events are made once. */
export class StepsOfRecordings {
  readonly #made = new LRUCache<string, Promise<RecordingSteps | null>>({ max: MAX_REMEMBERED });

  /** Throws `RECORDING_TOO_LONG` where a workflow cannot have the steps. */
  async of(recording: StoredRecording): Promise<RecordingSteps> {
    const name = `${recording._id} ${recording.nextSequence}`;
    const made = this.#made.get(name) ?? this.#make(name, recording);
    const steps = await made;
    if (!steps) throw recordingTooLong();
    return steps;
  }

  /** Remembers what is made, but for failures. */
  #make(name: string, recording: StoredRecording): Promise<RecordingSteps | null> {
    const made = makeSteps(recording);
    this.#made.set(name, made);
    made.catch(() => this.#made.delete(name));
    return made;
  }
}

/** Null for a recording that is too long, after as much as tells it was read. */
async function makeSteps(recording: StoredRecording): Promise<RecordingSteps | null> {
  const actions = new Actions(recording.screen);
  let sequence = 1;
  for await (const { events } of batchesOf(recording)) {
    for (const event of JSON.parse(events) as KeptEvent[]) actions.add(event);
    if (isTooLong(actions)) return null;
    sequence += 1;
    await setImmediate(); // other work of the event loop comes first
  }
  // Only a removal of the recording takes batches away.
  if (sequence < recording.nextSequence) throw noRecording(recording._id);
  actions.end();
  return writeSteps(actions.list);
}

function batchesOf({ _id: recordingId, nextSequence }: StoredRecording) {
  const query = RecordingBatchModel.find(
    { recordingId, sequence: { $lt: nextSequence } },
    { events: 1 },
  ).sort({ sequence: 1 });
  return readInBatches<{ events: string }>(query.lean(), READ_AT_ONCE);
}
