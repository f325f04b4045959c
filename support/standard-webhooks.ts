import { createHmac, randomBytes } from 'node:crypto';

/** Begins each secret of Standard Webhooks 1.0.0; the base64 of the key follows. */
const SECRET_PREFIX = 'whsec_';
/** Bytes of a key. A secret whose key is shorter or longer is none. */
export const KEY_BYTES = { least: 24, most: 64 };
/** Bytes of a random key. */
const RANDOM_KEY_BYTES = 32;
const SECRET_FORM = /^whsec_(?:[A-Za-z\d+/]{4})+(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** The key of a secret; null for a text that is no secret of Standard Webhooks. */
export function keyOfSecret(secret: string): Buffer | null {
  if (!SECRET_FORM.test(secret)) return null;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most ? key : null;
}

/** The secret of a key. */
export const secretOf = (key: Buffer): string => SECRET_PREFIX + key.toString('base64');

export const randomWebhookSecret = (): string => secretOf(randomBytes(RANDOM_KEY_BYTES));

/** A message as its sender signs it. */
export interface SignedMessage {
  id: string;
  /** Seconds since the epoch, as the header `webhook-timestamp` has them. */
  timestamp: string;
  body: string | Buffer;
}

/** The signature of a message, which its header has as `v1,` and base64. Throws a `TypeError` for a text that is no secret. */
export function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): Buffer {
  const key = keyOfSecret(secret);
  if (!key) throw new TypeError('the stored secret is no secret');
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
