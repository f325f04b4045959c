import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { Id, Name, Timestamp } from '../../../contract/fields.ts';
import { RECORDING_STATUSES } from '../../../models/recording-status.ts';
import { StepKey } from '../../workflow-steps/step-fields.ts';
import { BUTTONS, Screen } from './event-fields.ts';
import { EVENT_TYPES } from './recorded-event.ts';

export const NextSequence = z.int().positive().meta({
  description: 'The number of the next batch, from 1: one more than the number of batches',
});

export const Recording = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    name: Name,
    screen: Screen,
    status: z.enum(RECORDING_STATUSES).meta({ id: 'RecordingStatus' }),
    nextSequence: NextSequence,
    eventCount: z.int().nonnegative().meta({
      description: 'Masked keys in a row within a batch count as one event',
    }),
    createdBy: ActorRecord,
    createdAt: Timestamp,
    finishedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Recording' });
export type Recording = z.output<typeof Recording>;

const pixels = z.number().nonnegative();
const normalised = z.number().min(0).max(1);
const ofTypes = (types: string, more = '') => ({ description: `Of ${types}${more}` });
const targetOf = ofTypes('DRAG: the place where the button is let go');

/** What somebody did, in the order of its fields. Fields that do not belong to the type are absent. */
export const RecordedAction = z
  .strictObject({
    type: z.enum(EVENT_TYPES).exclude(['MOVE']),
    x: pixels.optional().meta({
      description:
        'Where the pointer was, in pixels, when the action began. `x`, `y`, `nx` and `ny` are absent of KEY, TEXT and WAIT before the first event of the pointer',
    }),
    y: pixels.optional(),
    nx: normalised.optional().meta({ description: '`x` as a part of the width of the screen' }),
    ny: normalised.optional(),
    toX: pixels.optional().meta(targetOf),
    toY: pixels.optional().meta(targetOf),
    ntoX: normalised.optional().meta(targetOf),
    ntoY: normalised.optional().meta(targetOf),
    button: z.enum(BUTTONS).optional().meta(ofTypes('CLICK, DOUBLE_CLICK and DRAG')),
    dx: z.number().optional().meta(ofTypes('SCROLL')),
    dy: z.number().optional().meta(ofTypes('SCROLL')),
    key: z.string().optional().meta(ofTypes('KEY')),
    text: z.string().optional().meta(ofTypes('TEXT', ', unless it is masked')),
    masked: z.literal(true).optional().meta(ofTypes('TEXT', ': the text is secret and unknown')),
    screen: Screen.optional().meta({
      description: 'The screen of the coordinates in pixels, where it is not that of the recording',
    }),
    afterMs: z.int().nonnegative().meta({
      description:
        'Milliseconds between the end of the action before and the beginning of this one',
    }),
    durationMs: z.int().nonnegative().meta({ description: 'Milliseconds that the action took' }),
  })
  .meta({ id: 'RecordedAction' });
export type RecordedAction = z.output<typeof RecordedAction>;

/** The steps of a recording, as `PUT /workflow/{id}/steps` takes them. */
export const RecordingSteps = z
  .strictObject({
    steps: z.array(
      z.strictObject({
        key: StepKey,
        definition: z.strictObject({ set: z.strictObject({ action: RecordedAction }) }),
      }),
    ),
  })
  .meta({ id: 'RecordingSteps' });
export type RecordingSteps = z.output<typeof RecordingSteps>;
