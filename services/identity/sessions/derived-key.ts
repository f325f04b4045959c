import { hkdfSync } from 'node:crypto';
import type { SigningKey } from '../../../environment/values/key-set.ts';
import { signingKeys } from './signing-keys.ts';

/** What a derived key is for: no two purposes share one. */
export type KeyPurpose = 'refresh token successor' | 'known network';

const KEY_BYTES = 32;

/** Keys by purpose and `kid`; a few of each, since signing keys are few. */
const derived = new Map<string, Buffer>();

/** RFC 5869: a key for one purpose, which every process with the signing key can derive. */
function derive({ kid, privateKey }: SigningKey, purpose: KeyPurpose): Buffer {
  const name = `${purpose}:${kid}`;
  const known = derived.get(name);
  if (known) return known;
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
  derived.set(name, key);
  return key;
}

/** The `kid` of the signing key from which keys are derived now. */
export const presentKid = (): string => signingKeys()[0].kid;

/** The key for that purpose from the signing key of that name; null when this process lacks it. */
export function derivedKey(purpose: KeyPurpose, kid: string): Buffer | null {
  const key = signingKeys().find((candidate) => candidate.kid === kid);
  return key ? derive(key, purpose) : null;
}
