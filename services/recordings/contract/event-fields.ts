import { z } from 'zod';

/** The greatest width and height of a screen in pixels; a larger screen is answered 400. */
const MAX_SCREEN_PIXELS = 65_535;
/** The least and the greatest scale of a screen; another one is answered 400. */
const MIN_SCALE = 0.1;
const MAX_SCALE = 16;
/** The most milliseconds between two events: a day. A longer pause is answered 400. */
const MAX_AFTER_MS = 24 * 60 * 60 * 1_000;
/** The greatest distance of one scroll in pixels, in both directions; a greater one is answered 400. */
const MAX_SCROLL_PIXELS = 1_000_000;
/** UTF-16 code units of the text of one event; a longer text is answered 400. */
const MAX_TEXT = 10_000;
/** UTF-16 code units of the name of a key; a longer name is answered 400. */
const MAX_KEY = 64;

const pixels = z.int().min(1).max(MAX_SCREEN_PIXELS);

export const Screen = z
  .strictObject({
    width: pixels,
    height: pixels,
    scale: z
      .number()
      .min(MIN_SCALE)
      .max(MAX_SCALE)
      .transform(rounded(4))
      .meta({
        description:
          'Device pixels of each pixel, as `devicePixelRatio` of browsers; kept to 4 decimals',
        override: { type: 'number', minimum: MIN_SCALE, maximum: MAX_SCALE },
      }),
  })
  .meta({
    id: 'RecordingScreen',
    description: 'Width and height are in the pixels of `x` and `y`: those of CSS in a browser.',
  });
export type Screen = z.output<typeof Screen>;

/** Makes a function that rounds to so many decimals. */
export function rounded(decimals: number): (value: number) => number {
  const unit = 10 ** decimals;
  return (value) => Math.round(value * unit) / unit;
}

export const AfterMs = z.int().nonnegative().max(MAX_AFTER_MS).meta({
  description: 'Milliseconds since the event before; of the first one, since the recording began',
});

/** A coordinate in pixels. Its upper bound depends on the screen. */
export const Coordinate = z.number().nonnegative().meta({
  description:
    'Pixels from the left or upper edge of the screen, less than its width or height; kept to 2 decimals',
});

const hundredths = rounded(2);
export const ScrollDistance = z
  .number()
  .min(-MAX_SCROLL_PIXELS)
  .max(MAX_SCROLL_PIXELS)
  .transform((distance) => hundredths(distance) + 0) // no -0, which JSON does not have
  .meta({
    description: 'Pixels; kept to 2 decimals',
    override: { type: 'number', minimum: -MAX_SCROLL_PIXELS, maximum: MAX_SCROLL_PIXELS },
  });

export const BUTTONS = ['LEFT', 'MIDDLE', 'RIGHT'] as const;
export const Button = z.enum(BUTTONS, { error: `must be one of ${BUTTONS.join(', ')}` });

export const TypedText = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => !text.includes('\0'), 'must not have the character U+0000')
  .refine((text) => text.isWellFormed(), 'must not have lone surrogates');

/** A key as `KeyboardEvent.key` of browsers names it. */
export const Key = z
  .string()
  .min(1)
  .max(MAX_KEY)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not have control characters or lone surrogates')
  .meta({
    description:
      'A character, such as `a`, or the name of a key, such as `Enter` and `Control+c`: a combination is one key',
  });
