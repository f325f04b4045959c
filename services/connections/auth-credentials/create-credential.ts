import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import type { AuthType } from '../../../models/auth-credential.model.ts';
import type { Params } from '../../contracts.ts';
import type { AuthCredential } from '../contract/auth-credentials.ts';
import type { FieldSealer } from '../envelope/field-sealer.ts';
import { originsNeeded } from './auth-credentials.problems.ts';
import { authCredentials } from './auth-credentials.store.ts';
import { assertTokenOrigin } from './origins/token-origin.ts';
import { parseSecret, sealSecret } from './secret/sealed-secret.ts';
import { showAuthCredential } from './show-credential.ts';

/** Creates a credential. The secret is sealed for the id, so the id is drawn first. */
export async function createAuthCredential(
  {
    workspaceId,
    name,
    authType,
    allowedOrigins,
    secret,
  }: Params<'connections.createAuthCredential'>,
  change: ChangeContext,
  sealer: FieldSealer,
): Promise<AuthCredential> {
  const typed = parseSecret(authType, secret);
  assertOrigins(authType, allowedOrigins);
  assertTokenOrigin(typed, allowedOrigins, 'secret.tokenUrl');
  const _id = change.reservedId ?? (await nextId('auth_credentials'));
  const now = new Date();
  const credential = {
    _id,
    workspaceId,
    name,
    authType,
    allowedOrigins,
    sealedSecret: await sealSecret(sealer, { _id, workspaceId }, typed),
    secretVersion: 1,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
  };
  return showAuthCredential(await authCredentials.create(credential, change));
}

/** Throws 400 for a secret that could be sent nowhere. */
export function assertOrigins(authType: AuthType, allowedOrigins: readonly string[]): void {
  if (authType !== 'NONE' && allowedOrigins.length === 0) throw originsNeeded();
}
