import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { z } from 'zod';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}
/** The keys of access tokens. The first key signs, and all keys verify. */
export type KeySet = readonly [SigningKey, ...SigningKey[]];

const Coordinate = z.string().regex(/^[\w-]{43}$/);
const Jwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: Coordinate,
  y: Coordinate,
  d: Coordinate,
  kid: z.string().min(1).max(200).optional(),
});
type Jwk = z.output<typeof Jwk>;
const JwkSet = z.object({ keys: z.array(Jwk).min(1) });

/** Reads a JWK set of ES256 private keys (RFC 7517); null for any other text. */
export function readKeySet(text: string): KeySet | null {
  try {
    const [first, ...others] = JwkSet.parse(JSON.parse(text)).keys.map(keyOf);
    if (!first) return null;
    const keys: KeySet = [first, ...others];
    return new Set(keys.map(({ kid }) => kid)).size === keys.length ? keys : null;
  } catch {
    return null; // a message must not quote a secret
  }
}

function keyOf(jwk: Jwk): SigningKey {
  const privateKey = createPrivateKey({ key: { ...jwk }, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  assertPair(privateKey, publicKey);
  return { kid: jwk.kid ?? thumbprint(jwk), privateKey, publicKey };
}

/** Throws unless `d` belongs to `x` and `y`, which Node does not check. No signature of an inconsistent key verifies. */
function assertPair(privateKey: KeyObject, publicKey: KeyObject): void {
  const probe = Buffer.from('probe');
  if (!verify('sha256', probe, publicKey, sign('sha256', probe, privateKey))) {
    throw new TypeError('d does not belong to x and y');
  }
}

/** The thumbprint of RFC 7638, so that a key without a `kid` has the same `kid` in every process. */
function thumbprint({ crv, kty, x, y }: Jwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
