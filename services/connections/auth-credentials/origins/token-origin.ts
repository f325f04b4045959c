import { refusedTokenOrigin } from '../auth-credentials.problems.ts';
import type { TypedSecret } from '../secret/secret.ts';
import { isAllowedTarget, originOf } from './origins.ts';

/** Throws 400 when a token URL has an origin that the credential does not allow. The problem names `field`. */
export function assertTokenOrigin(
  typed: TypedSecret,
  allowedOrigins: readonly string[],
  field: 'secret.tokenUrl' | 'allowedOrigins',
): void {
  const { authType, secret } = typed;
  if (authType !== 'OAUTH2_CLIENT_CREDENTIALS') return;
  const url = new URL(secret.tokenUrl);
  if (!isAllowedTarget({ authType, allowedOrigins }, url))
    throw refusedTokenOrigin(field, originOf(url));
}
