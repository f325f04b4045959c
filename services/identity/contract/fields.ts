import { z } from 'zod';

const LEAST = 12;
const MOST = 256;

/** How long a password is: people count characters, not UTF-16 units, and its composed form counts. */
const lengthOf = (password: string): number => [...password.normalize('NFC')].length;

/** A password to be set. Its form only: whether it is a common one is the service's to know. */
export const NewPassword = z
  .string()
  .max(4 * MOST, `must have at most ${MOST} characters`)
  .refine((text) => lengthOf(text) >= LEAST, `must have at least ${LEAST} characters`)
  .refine((text) => lengthOf(text) <= MOST, `must have at most ${MOST} characters`)
  .meta({ override: { type: 'string', format: 'password', minLength: LEAST, maxLength: MOST } });

/** A password to be compared: any text that could be one. */
export const GivenPassword = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(4 * MOST, 'is longer than any password')
  .meta({ override: { type: 'string', format: 'password' } });

/** A secret of ours that comes back: refresh and mailed tokens. */
export const GivenToken = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(200, 'is longer than any token');
