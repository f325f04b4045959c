import { createHmac } from 'node:crypto';
import { derivedKey } from './derived-key.ts';

/**
 * The refresh token that replaces another. Equal inputs give equal tokens, so that nothing has to be
 * kept in the clear to give the same one twice; null when this process lacks the signing key `kid`.
 */
export function successorOf(token: string, kid: string): string | null {
  const key = derivedKey('refresh token successor', kid);
  return key && createHmac('sha256', key).update(token).digest('base64url');
}
