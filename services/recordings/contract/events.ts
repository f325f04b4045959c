import { z } from 'zod';
import { MEMBERS, WORKERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { IdText } from '../../../contract/fields.ts';
import { Busy, NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import {
  RecordingFinished,
  RecordingPaused,
  RecordingTooLong,
  SequenceGap,
  SequenceTaken,
} from '../recordings.problems.ts';
import { eventsExample, stepsExample } from './examples.ts';
import { RecordedEvent } from './recorded-event.ts';
import { NextSequence, RecordingSteps } from './resources.ts';

/** Events of one batch; a batch without events, or with more, is answered 400. */
const MAX_EVENTS = 1_000;
/** Bytes of a batch of so many events, with white space. Beyond it the answer is 413: long texts take several batches. */
const BODY_LIMIT = 512 * 1024;
/** JSON values of such a batch: an event and its screen have 20 at most. */
const BODY_VALUES = 20 * MAX_EVENTS + 10;
/** Milliseconds in which the steps of a recording are made, of a million events at most. Beyond them the answer is 504. */
const STEPS_MS = 30_000;

const ofRecording = { resource: 'recording', parameter: 'id' } as const;

/** The operations on what is recorded. */
export const eventActions = {
  appendEvents: action({
    summary: 'Add a batch of events to a recording',
    description:
      'Batches are numbered by `sequence`, from 1 and without gaps: the next one has the `nextSequence` of the recording, whatever the number of its events. A batch that is sent again changes nothing and is answered 200, also after a pause or the end; another batch with a number that is taken is 409 `SEQUENCE_TAKEN`, and one that is not the next is 409 `SEQUENCE_GAP`. Both tell `nextSequence`. A batch holds as a whole or not at all. Coordinates are in pixels and are kept with normalised ones, from 0 to 1. The text and the keys of masked events are not kept, and neither is the number of masked keys with no other event between them in a batch: two batches that differ in them alone count as the same.',
    route: 'POST /recordings/:id/events',
    tool: { none: 'a recorder calls it; a transcript would keep masked input' },
    idempotency: { hasSecrets: true },
    audit: { none: 'the recording is audited, not what it consists of' },
    access: { who: 'member', roles: MEMBERS, in: ofRecording },
    path: { id: IdText },
    body: {
      sequence: NextSequence,
      events: z
        .array(RecordedEvent)
        .min(1, 'must have at least 1 event')
        .max(MAX_EVENTS, `must have at most ${MAX_EVENTS} events`)
        .meta({ description: 'What the person did, in order' }),
    },
    bodyLimit: BODY_LIMIT,
    bodyValues: BODY_VALUES,
    result: z.strictObject({ nextSequence: NextSequence }),
    errors: [
      NotFound,
      RecordingPaused,
      RecordingFinished,
      SequenceGap,
      SequenceTaken,
      QuotaReached,
      Busy,
    ],
    idempotent: true,
    example: { body: { sequence: 1, events: eventsExample }, answer: { nextSequence: 2 } },
  }),
  getSteps: action({
    summary: 'The steps of a workflow that repeat a recording',
    description:
      'Each step sets an `action`, and `PUT /workflow/{id}/steps` takes the answer as it is. Movements and pauses are left out: their time counts for the next action, and what is left at the end is a `WAIT`. Drags of which each begins where the one before ends are one drag. Characters typed in a row are one text; other keys, such as `Enter` and `Backspace`, are actions of their own. Texts are written as a flow file has them: `$${` stands for `${`. More than 500 steps or 256 KiB are 409 `RECORDING_TOO_LONG`.',
    route: 'GET /recordings/:id/steps',
    tool: true,
    etag: true,
    access: { who: 'member', roles: WORKERS, in: ofRecording },
    path: { id: IdText },
    timeoutMs: STEPS_MS,
    result: RecordingSteps,
    errors: [NotFound, RecordingTooLong, Busy],
    idempotent: true,
    example: { answer: stepsExample },
  }),
};
