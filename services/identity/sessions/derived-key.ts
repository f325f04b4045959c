import { hkdfSync } from 'node:crypto';
import type { SigningKey } from '../../../environment/values/key-set.ts';
import { signingKeys } from './signing-keys.ts';

/** The purpose of a derived key. No two purposes share a key. */
export type KeyPurpose =
  | 'refresh token successor'
  | 'known network'
  | 'invitation token'
  | 'undo token'
  | 'provider client';

const KEY_BYTES = 32;

/** Derived keys by purpose and `kid`, at most one for each purpose and signing key. */
const derived = new Map<string, Buffer>();

/** Derives a key for one purpose (RFC 5869). Every process with the signing key derives the same key. */
function derive({ kid, privateKey }: SigningKey, purpose: KeyPurpose): Buffer {
  const name = `${purpose}:${kid}`;
  const known = derived.get(name);
  if (known) return known;
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
  derived.set(name, key);
  return key;
}

/** The `kid` of the first signing key, from which new keys are derived. */
export const presentKid = (): string => signingKeys()[0].kid;

/** The key for a purpose, derived from the signing key `kid`; null when this process lacks that signing key. */
export function derivedKey(purpose: KeyPurpose, kid: string): Buffer | null {
  const key = signingKeys().find((candidate) => candidate.kid === kid);
  return key ? derive(key, purpose) : null;
}
