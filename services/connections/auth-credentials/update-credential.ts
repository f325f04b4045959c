import { isDeepStrictEqual } from 'node:util';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { AuthCredentialDocument } from '../../../models/auth-credential.model.ts';
import type { Params } from '../../contracts.ts';
import type { AuthCredential } from '../contract/auth-credentials.ts';
import type { FieldSealer } from '../envelope/field-sealer.ts';
import { contradiction } from './auth-credentials.problems.ts';
import { authCredentials, type StoredAuthCredential } from './auth-credentials.store.ts';
import { assertOrigins } from './create-credential.ts';
import { assertTokenOrigin } from './origins/token-origin.ts';
import { isSameSecret, openSecret, parseSecret, sealSecret } from './secret/sealed-secret.ts';
import type { TypedSecret } from './secret/secret.ts';
import { showAuthCredential } from './show-credential.ts';

type Given = Params<'connections.updateAuthCredential'>;

/** Changes the given fields that differ. A secret that is equal to the stored secret is no change. */
export async function updateAuthCredential(
  credential: StoredAuthCredential,
  given: Given,
  change: ChangeContext,
  sealer: FieldSealer,
): Promise<AuthCredential> {
  assertSame(credential, given);
  const secret = given.secret && parseSecret(credential.authType, given.secret);
  if (given.allowedOrigins) assertOrigins(credential.authType, given.allowedOrigins);
  const wanted = { name: given.name, allowedOrigins: given.allowedOrigins, secret };
  const decide = (current: StoredAuthCredential) => decideChange(current, wanted, sealer);
  await decide(credential); // the order of checks puts a fault of the body (400) before `If-Match` (412)
  return showAuthCredential(
    await authCredentials.change(credential, decide, change, showAuthCredential),
  );
}

/** Refuses an `id` or `workspaceId` that differs from the credential's. */
function assertSame(credential: StoredAuthCredential, { id, workspaceId }: Given): void {
  if (id !== undefined && id !== credential._id) throw contradiction('id');
  if (workspaceId !== undefined && workspaceId !== credential.workspaceId) {
    throw contradiction('workspaceId');
  }
}

interface Wanted {
  name: string | undefined;
  allowedOrigins: string[] | undefined;
  secret: TypedSecret | undefined;
}

/** The change of the fields that differ; null without a difference. */
async function decideChange(
  current: StoredAuthCredential,
  { name, allowedOrigins, secret }: Wanted,
  sealer: FieldSealer,
): Promise<Update<AuthCredentialDocument> | null> {
  const changed: string[] = [];
  const set: NonNullable<Update<AuthCredentialDocument>['set']> = {};
  if (name !== undefined && name !== current.name) {
    set.name = name;
    changed.push('name');
  }
  if (allowedOrigins && !isDeepStrictEqual(allowedOrigins, current.allowedOrigins)) {
    set.allowedOrigins = allowedOrigins;
    changed.push('allowedOrigins');
  }
  if (secret || set.allowedOrigins) {
    const stored = await openSecret(sealer, current);
    const field = secret ? 'secret.tokenUrl' : 'allowedOrigins';
    assertTokenOrigin(secret ?? stored, set.allowedOrigins ?? current.allowedOrigins, field);
    if (secret && !isSameSecret(secret, stored)) {
      set.sealedSecret = await sealSecret(sealer, current, secret);
      set.secretVersion = current.secretVersion + 1;
      changed.push('secret');
    }
  }
  return changed.length ? { set, changed } : null;
}
