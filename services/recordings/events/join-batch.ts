import { randomUUID } from 'node:crypto';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Screen } from '../contract/event-fields.ts';
import type { RecordedEvent } from '../contract/recorded-event.ts';
import { assertRoom } from '../recording-quotas.ts';
import { sequenceTaken } from '../recordings.problems.ts';
import { recordings, type StoredRecording } from '../recordings.store.ts';
import { type StoredBatch, storeBatch, withdrawBatch } from './batches.ts';
import { joinMaskedKeys } from './join-masked-keys.ts';
import type { PlacedEvent } from './place-events.ts';

/*
 * A batch is stored first, under its number. A change of the recording then makes the batch a part of the recording. A
 * crash in between leaves a batch that the next request with its number finds, and makes a part of the recording. Of
 * two senders one stores the batch. Either of them may change the recording: no batch that was answered 200 is lost.
 */

/** Bytes that a batch takes in the database beside its events. Without them, batches of one event would pass the quota. */
const BATCH_BYTES = 512;

export interface Answer {
  nextSequence: number;
}

/** A batch as it came, without masked input. */
export interface SentBatch {
  sequence: number;
  events: readonly RecordedEvent[];
  /** The hash of the events. */
  hash: string;
}

/**
 * Makes the next batch a part of its recording. Where another batch is stored under its number, that batch becomes a
 * part, because its sender may have died, and the sent one is refused. Null where another request has changed the
 * recording since it was read.
 */
export async function joinBatch(
  recording: StoredRecording,
  { sequence, hash }: SentBatch,
  placed: { events: readonly PlacedEvent[]; screen: Screen },
  change: ChangeContext,
): Promise<Answer | null> {
  const { _id: recordingId, workspaceId } = recording;
  const kept = joinMaskedKeys(placed.events);
  const events = JSON.stringify(kept);
  const size = { eventCount: kept.length, eventBytes: Buffer.byteLength(events) + BATCH_BYTES };
  assertRoom(recording, size);
  const attempt = randomUUID();
  const { screen } = placed;
  const sent = { workspaceId, recordingId, sequence, events, ...size, hash, screen, attempt };
  const stored = await storeBatch(sent);
  const joined =
    stored && (await recordings.tryChange(recording, partOf(recording, stored), change));
  if (stored && !joined) await withdrawRefused(stored);
  if (!joined) return null;
  const { nextSequence } = joined;
  if (stored.hash !== hash) throw sequenceTaken(sequence, nextSequence);
  return { nextSequence };
}

/** The change that makes a batch a part of its recording. */
const partOf = ({ eventCount, eventBytes }: StoredRecording, batch: StoredBatch) => ({
  set: {
    nextSequence: batch.sequence + 1,
    eventCount: eventCount + batch.eventCount,
    eventBytes: eventBytes + batch.eventBytes,
    currentScreen: batch.screen,
  },
});

/** Removes the stored batch of a recording that takes no events any more, so that a refused batch leaves nothing. */
async function withdrawRefused(batch: StoredBatch): Promise<void> {
  const recording = await recordings.find(batch.recordingId);
  const isPart = recording && recording.nextSequence > batch.sequence;
  if (!isPart && recording?.status !== 'RECORDING') await withdrawBatch(batch);
}
