import { ascendingBy } from '../../../contract/page-order.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import type { Params } from '../../contracts.ts';
import type { AuthCredential } from '../contract/auth-credentials.ts';
import type { AuthCredentialSummary } from '../contract/resources.ts';
import { authCredentials, type StoredAuthCredential } from './auth-credentials.store.ts';

/** The credentials of a workspace, by id. */
export function listAuthCredentials({
  workspaceId,
  ...position
}: Params<'connections.listAuthCredentials'>) {
  const order = ascendingBy('_id');
  const { projection } = authCredentials;
  const query = { filter: { workspaceId }, order, position, projection };
  return readPage(AuthCredentialModel, query, showAuthCredential);
}

/** The answer's form of a credential, without the secret. */
export function showAuthCredential(credential: StoredAuthCredential): AuthCredential {
  const { _id, workspaceId, name, authType, allowedOrigins } = credential;
  return {
    id: _id,
    workspaceId,
    name,
    authType,
    allowedOrigins,
    createdAt: credential.createdAt.toISOString(),
    updatedAt: credential.updatedAt.toISOString(),
    lastUsedAt: credential.lastUsedAt?.toISOString() ?? null,
  };
}

export const summaryOf = ({
  _id,
  name,
  authType,
}: Pick<StoredAuthCredential, '_id' | 'name' | 'authType'>): AuthCredentialSummary => ({
  id: _id,
  name,
  authType,
});
