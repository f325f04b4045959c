import { z } from 'zod';
import {
  AfterMs,
  Button,
  Coordinate,
  Key,
  Screen,
  ScrollDistance,
  TypedText,
} from './event-fields.ts';

export const EVENT_TYPES = [
  'MOVE',
  'CLICK',
  'DOUBLE_CLICK',
  'DRAG',
  'SCROLL',
  'KEY',
  'TEXT',
  'WAIT',
] as const;

const common = {
  afterMs: AfterMs,
  screen: Screen.optional().meta({
    description: 'The screen of this event and of all later ones, until another one is named',
  }),
};
const at = { x: Coordinate, y: Coordinate };
const button = { button: Button.default('LEFT') };
const masked = z
  .boolean()
  .default(false)
  .meta({ description: 'Whether the input is secret. Then it is dropped, and its length too.' });

/** An event of a type, with fields of its own. */
const event = <T extends (typeof EVENT_TYPES)[number], S extends z.ZodRawShape>(
  type: T,
  fields: S,
) => z.strictObject({ type: z.literal(type), ...common, ...fields });

const isGiven = 'is required unless masked is true';
const keyEvent = event('KEY', { key: Key.optional(), masked })
  .refine(({ key, masked }) => masked || key !== undefined, { path: ['key'], error: isGiven })
  .transform(({ key, ...rest }) => (rest.masked ? rest : { ...rest, key: key ?? '' }));
const textEvent = event('TEXT', { text: TypedText.optional(), masked })
  .refine(({ text, masked }) => masked || text !== undefined, { path: ['text'], error: isGiven })
  .transform(({ text, ...rest }) => (rest.masked ? rest : { ...rest, text: text ?? '' }));

/**
 * An event as it is sent. The secret input of a masked event is not part of the validated event, so that nothing
 * behind the validation can store or log it.
 */
export const RecordedEvent = z
  .discriminatedUnion(
    'type',
    [
      event('MOVE', at),
      event('CLICK', { ...at, ...button }),
      event('DOUBLE_CLICK', { ...at, ...button }),
      event('DRAG', { ...at, toX: Coordinate, toY: Coordinate, ...button }),
      event('SCROLL', { ...at, dx: ScrollDistance, dy: ScrollDistance }),
      keyEvent,
      textEvent,
      event('WAIT', {}),
    ],
    {
      error: ({ code }) =>
        code === 'invalid_union' ? `must be one of ${EVENT_TYPES.join(', ')}` : undefined,
    },
  )
  .meta({ id: 'RecordedEvent' });
export type RecordedEvent = z.output<typeof RecordedEvent>;
