import { ascendingBy } from '../../../contract/page-order.ts';
import { invalidField } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { ApiKeyModel } from '../../../models/api-key.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { apiKeyRevoked } from '../identity.events.ts';
import { actorOfUser } from '../users/users.ts';
import { hintsOf, newApiKey } from './api-key.ts';
import { apiKeys, type StoredApiKey } from './api-keys.store.ts';

/**
 * Creates a key. No answer but this function's contains the key itself. The key is null where an earlier attempt of
 * the request has stored the record: the hash there is that of another key.
 */
export async function createApiKey(
  { workspaceId, name, scopes, expiresAt }: Params<'identity.createApiKey'>,
  change: ChangeContext,
  { log }: CallContext,
) {
  const now = new Date();
  const expiry = expiresAt ? new Date(expiresAt) : null;
  if (expiry && expiry <= now) {
    throw invalidField('expiresAt', 'not_in_the_future', 'must lie in the future');
  }
  const key = newApiKey();
  const wanted = {
    workspaceId,
    name,
    hash: hashOf(key),
    ...hintsOf(key),
    scopes: [...new Set(scopes)],
    createdBy: change.actor,
    createdAt: now,
    updatedAt: now,
    expiresAt: expiry,
    lastUsedAt: null,
    revokedAt: null,
  };
  const record = await apiKeys.create(wanted, change);
  const isNew = 'hash' in record && record.hash === wanted.hash;
  if (isNew) log('api-key.created', { keyId: record._id, workspaceId });
  return { ...showApiKey(record), key: isNew ? key : null };
}

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
    return isRevoked ? { set: { revokedAt: new Date() } } : null;
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

function showApiKey(record: StoredApiKey) {
  const { _id, workspaceId, name, prefix, lastFour, scopes, createdBy } = record;
  return {
    id: _id,
    workspaceId,
    name,
    prefix,
    lastFour,
    scopes,
    createdBy,
    createdAt: record.createdAt.toISOString(),
    expiresAt: record.expiresAt?.toISOString() ?? null,
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    revokedAt: record.revokedAt?.toISOString() ?? null,
  };
}
