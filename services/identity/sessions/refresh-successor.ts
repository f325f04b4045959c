import { createHmac } from 'node:crypto';
import { derivedKey } from './derived-key.ts';

/**
 * The refresh token that replaces another; null when this process lacks the signing key `kid`. Equal inputs
 * give equal tokens, so that a repeated request gets the same token although only its hash is stored.
 */
export function successorOf(token: string, kid: string): string | null {
  const key = derivedKey('refresh token successor', kid);
  return key && createHmac('sha256', key).update(token).digest('base64url');
}
