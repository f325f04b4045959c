import { z } from 'zod';

/** Seconds for which an access token is valid; beyond them the token is refused. */
export const ACCESS_TOKEN_SECONDS = 15 * 60;

const LEAST = 12;
const MOST = 256;

/** The length of a password in characters of the composed form, not in UTF-16 units. */
const lengthOf = (password: string): number => [...password.normalize('NFC')].length;

/** A new password. The field checks the form; the service refuses common passwords. */
export const NewPassword = z
  .string()
  .max(4 * MOST, `must have at most ${MOST} characters`)
  .refine((text) => lengthOf(text) >= LEAST, `must have at least ${LEAST} characters`)
  .refine((text) => lengthOf(text) <= MOST, `must have at most ${MOST} characters`)
  .meta({
    description: `A new password of ${LEAST} to ${MOST} characters that is not a common one`,
    override: { type: 'string', format: 'password', minLength: LEAST, maxLength: MOST },
  });

/** A password to compare with a stored hash: any text that can be a password. */
export const GivenPassword = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(4 * MOST, 'is longer than any password')
  .meta({
    description: 'The present password of the account',
    override: { type: 'string', format: 'password' },
  });

/** The id of a session: a text without a form, so that an id that cannot be one is unknown (404) and not invalid (400). */
export const SessionId = z.string().meta({
  description: 'The id of a session, opaque',
  examples: ['3f1c2a9e-5b7d-4c0e-9a61-0d2f8b7e4c55'],
});

/** A refresh token or a mailed token from a client. */
export const GivenToken = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(200, 'is longer than any token')
  .meta({ description: 'A refresh token, or the token of a mail' });
