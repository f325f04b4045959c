import { ascendingBy } from '../../../contract/page-order.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { ApiKeyModel } from '../../../models/api-key.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { apiKeyRevoked } from '../identity.events.ts';
import { actorOfUser } from '../users/users.ts';
import { apiKeys, type StoredApiKey } from './api-keys.store.ts';
import { showApiKey } from './show-api-key.ts';

/** The workspace's keys by id, revoked and expired ones included. */
export function listApiKeys({ workspaceId, ...position }: Params<'identity.listApiKeys'>) {
  const order = ascendingBy('_id');
  const query = { filter: { workspaceId }, order, position, projection: apiKeys.projection };
  return readPage(ApiKeyModel, query, showApiKey);
}

/** Revokes a key. A key that is revoked already keeps the time of its first revocation. */
export async function revokeApiKey(
  key: StoredApiKey,
  change: ChangeContext,
  { emit, log }: CallContext,
): Promise<void> {
  const { _id: keyId, workspaceId } = key;
  let isRevoked = false;
  const decide = ({ revokedAt }: StoredApiKey) => {
    isRevoked = revokedAt === null;
    if (!isRevoked) return null;
    return { set: { revokedAt: new Date() }, unset: ['replaced', 'quotaSlot'] as const };
  };
  await apiKeys.change(key, decide, change);
  if (isRevoked) log('api-key.revoked', { keyId, workspaceId });
  await emit(apiKeyRevoked, { keyId });
}

/** Revokes the user's keys in all workspaces, with the user as the actor. */
export async function revokeKeysMadeBy(user: UserDocument, call: CallContext): Promise<void> {
  const keys = await ApiKeyModel.find(
    { 'createdBy.id': user._id, 'createdBy.type': 'person', revokedAt: null },
    apiKeys.projection,
  )
    .lean<StoredApiKey[]>()
    .exec();
  const change = { ...call.changeAs(actorOfUser(user)), audit: { resource: 'api-key' } };
  for (const key of keys) await revokeApiKey(key, change, call);
}
