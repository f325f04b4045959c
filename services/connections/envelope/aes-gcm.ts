import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** Bytes of a nonce (NIST SP 800-38D, section 8.2.2). A random nonce lasts for 2^32 texts of a key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'v1.';

/** Encrypts bytes for one place, which `aad` names: they open with the same key and the same `aad` only. */
export function encrypt(key: KeyObject, aad: string, bytes: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad));
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/** Decrypts what `encrypt` has made; null where the key, the place or a bit of the text is another. */
export function decrypt(key: KeyObject, aad: string, sealed: string): Buffer | null {
  const encoded = sealed.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64url');
  const isWhole = sealed.startsWith(PREFIX) && bytes.toString('base64url') === encoded;
  if (!isWhole || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]);
  } catch {
    return null; // the tag does not belong to the text
  }
}
