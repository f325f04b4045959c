import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { derivedKey, presentKid } from '../../sessions/derived-key.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const PURPOSE = 'provider client';

/**
 * Encrypts a secret that has to be read again, with a key derived from the first signing key. `owner` is the document of
 * the secret, to which the text is bound.
 */
export function seal(secret: string, owner: string): string {
  const kid = presentKid();
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(kid), nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return [Buffer.from(kid), nonce, text, cipher.getAuthTag()]
    .map((part) => part.toString('base64url'))
    .join('.');
}

/** Decrypts a sealed secret. Throws when this process lacks its signing key, and for a text of another owner. */
export function unseal(sealed: string, owner: string): string {
  const [kid, nonce, text, tag] = partsOf(sealed);
  const decipher = createDecipheriv(ALGORITHM, keyOf(kid.toString()), nonce)
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString();
}

/** Whether the secret is sealed by another signing key than the first, which may be taken away one day. */
export const isStale = (sealed: string): boolean => partsOf(sealed)[0].toString() !== presentKid();

function keyOf(kid: string): Buffer {
  const key = derivedKey(PURPOSE, kid);
  if (!key) throw new Error(`JWT_PRIVATE_KEYS lacks the key ${kid}, which has sealed a secret`);
  return key;
}

function partsOf(sealed: string): [Buffer, Buffer, Buffer, Buffer] {
  const [kid, nonce, text, tag] = sealed.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (!kid || !nonce || !text || !tag) throw new TypeError('this is no sealed secret');
  return [kid, nonce, text, tag];
}
