import { z } from 'zod';

/** The possible values of a quota, for the message of an invalid value. */
const COUNT = 'a whole number from 1 to 999999999, or off';
const BYTES = 'a number of bytes such as 500MiB or 10GiB, or off';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** The largest number that a quota allows; null for `off`. */
export const quotaCount = z
  .string()
  .regex(/^(off|[1-9]\d{0,8})$/, COUNT)
  .transform((text) => (text === 'off' ? null : Number(text)));

/** The largest number of bytes that a quota allows; null for `off`. */
export const quotaBytes = z
  .string()
  .regex(/^(off|[1-9]\d{0,14}([KMGT]iB)?)$/, BYTES)
  .transform(readBytes)
  .refine((bytes) => bytes === null || Number.isSafeInteger(bytes), BYTES);

function readBytes(text: string): number | null {
  if (text === 'off') return null;
  const digits = Number.parseInt(text, 10);
  return digits * (UNITS[text.slice(String(digits).length)] ?? 1);
}
