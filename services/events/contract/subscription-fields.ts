import { z } from 'zod';

/** Characters of a subscription's URL. A longer one is answered 400. */
const LONGEST_URL = 2_048;
/** Bytes of a secret (Standard Webhooks: 24 to 64). Another length is answered 400. */
const LEAST_SECRET_BYTES = 24;
const MOST_SECRET_BYTES = 64;

export const SECRET_PREFIX = 'whsec_';

/** An absolute http or https URL without credentials. The service looks at its host besides. */
export const SubscriptionUrl = z
  .string()
  .max(LONGEST_URL, `must have at most ${LONGEST_URL} characters`)
  .meta({ description: 'An absolute http or https URL without credentials' });

/** `whsec_` and the base64 of 24 to 64 bytes, as Standard Webhooks writes secrets. */
export const SubscriptionSecret = z
  .string()
  .refine(isSecret, 'must be whsec_ and the base64 of 24 to 64 bytes')
  .meta({
    description: '`whsec_` and the base64 of 24 to 64 bytes; a random one unless given',
    override: { type: 'string' },
  });

function isSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const base64 = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length < LEAST_SECRET_BYTES || bytes.length > MOST_SECRET_BYTES) return false;
  return bytes.toString('base64') === base64;
}
