import { createHmac, hkdfSync } from 'node:crypto';
import type { SigningKey } from '../../mixins/key-set.ts';
import { signingKeys } from './signing-keys.ts';

const PURPOSE = 'refresh token successor';
const KEY_BYTES = 32;

/** HMAC keys by the `kid` of the signing key that each is derived from. */
const derived = new Map<string, Buffer>();

/** RFC 5869: a key for this purpose alone, which every process with the signing keys can derive. */
function hmacKeyOf({ kid, privateKey }: SigningKey): Buffer {
  const known = derived.get(kid);
  if (known) return known;
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES));
  derived.set(kid, key);
  return key;
}

/** The `kid` of the signing key from which successors are derived now. */
export const successorKid = (): string => signingKeys()[0].kid;

/**
 * The refresh token that replaces another. Equal inputs give equal tokens, so that nothing has to be
 * kept in the clear to give the same one twice; null when this process lacks the key.
 */
export function successorOf(token: string, kid: string): string | null {
  const key = signingKeys().find((candidate) => candidate.kid === kid);
  return key ? createHmac('sha256', hmacKeyOf(key)).update(token).digest('base64url') : null;
}
