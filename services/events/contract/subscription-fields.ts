import { z } from 'zod';
import { KEY_BYTES, keyOfSecret, secretOf } from '../../../support/standard-webhooks.ts';

/** Characters of a subscription's URL. A longer one is answered 400. */
const LONGEST_URL = 2_048;

/** An absolute http or https URL without credentials. The service looks at its host besides. */
export const SubscriptionUrl = z
  .string()
  .max(LONGEST_URL, `must have at most ${LONGEST_URL} characters`)
  .meta({ description: 'An absolute http or https URL without credentials' });

/** `whsec_` and the base64 of 24 to 64 bytes, as Standard Webhooks writes secrets. */
export const SubscriptionSecret = z
  .string()
  .refine(
    isSecret,
    `must be whsec_ and the base64 of ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes`,
  )
  .meta({
    description: '`whsec_` and the base64 of 24 to 64 bytes; a random one unless given',
    override: { type: 'string' },
  });

/** Whether the text is the one spelling of a secret that base64 gives its key. */
function isSecret(text: string): boolean {
  const key = keyOfSecret(text);
  return key !== null && secretOf(key) === text;
}
