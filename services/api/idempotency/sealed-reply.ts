import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Reply } from '../../../mixins/gateway/reply.ts';
import type { Attempt } from '../../../mixins/gateway/steps/idempotency.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Bytes of the nonce of AES-GCM (NIST SP 800-38D, section 8.2). Each seal draws another. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Sealer = Pick<Attempt, 'id' | 'secret'>;

/** The key of a secret (RFC 5869). It is derived for each seal and stored nowhere. */
const keyOf = ({ secret }: Sealer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'idempotency reply', KEY_BYTES));

/** Seals a reply as text: nonce, tag and ciphertext. Only an attempt with the same id and secret opens it. */
export function sealReply(reply: Reply, sealer: Sealer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(sealer), nonce).setAAD(Buffer.from(sealer.id));
  const text = Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Opens a sealed reply. Throws for another id or secret, and for a text that was changed. */
export function openReply(sealed: string, sealer: Sealer): Reply {
  if (sealed.startsWith('{')) return JSON.parse(sealed); // an earlier version has stored the reply unsealed
  const bytes = Buffer.from(sealed, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(sealer), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(sealer.id))
    .setAuthTag(tag);
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return JSON.parse(Buffer.concat([text, decipher.final()]).toString());
}
