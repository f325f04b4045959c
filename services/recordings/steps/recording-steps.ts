import { setImmediate } from 'node:timers/promises';
import { busy } from '../../../mixins/changes/document-queue.ts';
import { readInBatches } from '../../../mixins/database/row-cursor.ts';
import { RecordingBatchModel } from '../../../models/recording-batch.model.ts';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import type { RecordingSteps } from '../contract/resources.ts';
import type { KeptEvent } from '../events/join-masked-keys.ts';
import { noRecording, recordingTooLong } from '../recordings.problems.ts';
import type { StoredRecording } from '../recordings.store.ts';
import { Actions } from './actions.ts';
import { isTooLong, writeSteps } from './write-steps.ts';

/** Recordings whose steps are remembered, each up to 256 KiB of JSON. Beyond it the least recently used ones go. */
const MAX_REMEMBERED = 20;
/** Batches of one reply of the database. Each has up to a megabyte of events. */
const READ_AT_ONCE = 4;

/** Recordings that this process reads at once. A long one takes seconds of CPU time, so an owner has one of them. */
const LIMITS = {
  concurrency: 4,
  perOwner: () => 1,
  maxQueued: 200,
  maxQueuedPerOwner: 50,
  queueTimeoutMs: 10_000,
  refusal: busy,
};

/** Makes the steps of recordings. Events never change, so that the steps of the same events are made once. */
export class StepsOfRecordings {
  readonly #made = lruCache<string, Promise<RecordingSteps | null>>(MAX_REMEMBERED);
  readonly #queue = new FairQueue(LIMITS);
  readonly #shareOf: (workspaceId: number) => Promise<Share>;

  constructor(shareOf: (workspaceId: number) => Promise<Share>) {
    this.#shareOf = shareOf;
  }

  /** Throws `RECORDING_TOO_LONG` where no workflow can have the steps, and 503 `BUSY` where too many recordings wait. */
  async of(recording: StoredRecording): Promise<RecordingSteps> {
    const name = `${recording._id} ${recording.nextSequence}`;
    const made = this.#made.get(name) ?? this.#make(name, recording);
    const steps = await made;
    if (!steps) throw recordingTooLong();
    return steps;
  }

  /** Remembers what is made, but for failures. */
  #make(name: string, recording: StoredRecording): Promise<RecordingSteps | null> {
    const made = this.#shareOf(recording.workspaceId).then((share) =>
      this.#queue.run(share, () => makeSteps(recording)),
    );
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
