import { z } from 'zod';

/** Makes a variable optional. An empty variable counts as unset. */
export const optional = <T extends z.ZodType>(type: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), type.optional());

/** Gives a variable a default, which an empty variable gets too. */
export const withDefault = <T extends z.ZodType<unknown, string>>(type: T, fallback: string) =>
  z.preprocess((value) => (value === undefined || value === '' ? fallback : value), type);

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((n) => n >= least && n <= most, `a whole number from ${least} to ${most}`);

/** A number from 0 to 1, both included. */
export const ratio = z
  .string()
  .transform(Number)
  .refine((n) => n >= 0 && n <= 1, 'a number from 0 to 1');

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });

/** A comma-separated list. Items are trimmed, and empty items are dropped. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an http:// or https:// address' })
  .refine((text) => !text.includes(' '), 'an http:// or https:// address');
