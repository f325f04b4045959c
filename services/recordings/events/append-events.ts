import { busy } from '../../../mixins/changes/document-queue.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import {
  noRecording,
  recordingFinished,
  recordingPaused,
  sequenceGap,
  sequenceTaken,
} from '../recordings.problems.ts';
import { recordings, type StoredRecording } from '../recordings.store.ts';
import { findBatch } from './batches.ts';
import { type Answer, joinBatch, type SentBatch } from './join-batch.ts';
import { joinMaskedKeys } from './join-masked-keys.ts';
import { placeEvents } from './place-events.ts';

/** Times that a batch is tried; each miss means that another request has changed the recording meanwhile. */
const MAX_ATTEMPTS = 10;

/** Adds the next batch of events to a recording. A batch that is part of the recording already changes nothing. */
export async function appendEvents(
  recording: StoredRecording,
  { sequence, events }: Pick<Params<'recordings.appendEvents'>, 'sequence' | 'events'>,
  change: ChangeContext,
): Promise<Answer> {
  const sent = { sequence, events, hash: hashOf(JSON.stringify(joinMaskedKeys(events))) };
  let current: StoredRecording | null = recording;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    if (!current) throw noRecording(recording._id);
    const answer = await tryAppend(current, sent, change);
    if (answer) return answer;
    current = await recordings.find(recording._id);
  }
  throw busy();
}

/**
 * Null where another request has changed the recording since it was read. A repetition is answered in every status: its
 * sender may not have learned that the batch became a part before the pause or the end.
 */
async function tryAppend(
  recording: StoredRecording,
  sent: SentBatch,
  change: ChangeContext,
): Promise<Answer | null> {
  const { nextSequence, currentScreen } = recording;
  if (sent.sequence < nextSequence) return answerRepetition(recording, sent);
  const placed = sent.sequence === nextSequence ? placeEvents(sent.events, currentScreen) : null;
  assertRecording(recording);
  if (!placed) throw sequenceGap(sent.sequence, nextSequence);
  return joinBatch(recording, sent, placed, change);
}

function assertRecording({ status }: StoredRecording): void {
  if (status === 'PAUSED') throw recordingPaused();
  if (status === 'FINISHED') throw recordingFinished();
}

/** Compares a batch with the one of its number. Only a removal of the recording takes batches away. */
async function answerRepetition(
  { _id: recordingId, nextSequence }: StoredRecording,
  { sequence, hash }: SentBatch,
): Promise<Answer> {
  const stored = await findBatch({ recordingId, sequence });
  if (!stored) throw noRecording(recordingId);
  if (stored.hash !== hash) throw sequenceTaken(sequence, nextSequence);
  return { nextSequence };
}
