import { createHash, createSecretKey, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;

/** A key that wraps the data keys of workspaces. */
export interface MasterKey {
  /** The key's name, which tells nothing of the key. */
  kid: string;
  key: KeyObject;
}
/** The first key wraps, and all keys unwrap. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

/** Reads comma-separated base64 of 32 bytes each; null for any other text, and for a key that is given twice. */
export function readMasterKeys(text: string): MasterKeys | null {
  const keys: MasterKey[] = [];
  for (const item of text.split(',')) {
    const bytes = bytesOf(item.trim());
    if (!bytes) return null;
    keys.push({ kid: nameOf(bytes), key: createSecretKey(bytes) });
  }
  const [first, ...others] = keys;
  if (!first || new Set(keys.map(({ kid }) => kid)).size < keys.length) return null;
  return [first, ...others];
}

/** The bytes of a key; null for another length, and for a text that is not the base64 of its bytes. */
function bytesOf(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES && bytes.toString('base64') === text ? bytes : null;
}

const nameOf = (bytes: Buffer): string =>
  createHash('sha256').update('credentials-master-key:').update(bytes).digest('hex').slice(0, 16);
