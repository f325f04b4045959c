import type { Actor } from '../../../contract/caller.ts';
import { positionOf } from '../../../contract/page-position.ts';
import { cursorOf, pageFrom } from '../../../contract/pages.ts';
import { invalidField } from '../../../contract/problem.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { apiKeyRevoked } from '../identity.events.ts';
import { hashOf } from '../secret.ts';
import { hintsOf, newApiKey } from './api-key.ts';

/** Creates a key. Its answer alone has the key itself. */
export async function createApiKey(
  { workspaceId, name, scopes, expiresAt }: Params<'identity.createApiKey'>,
  createdBy: Actor,
  { log }: CallContext,
) {
  const now = new Date();
  const expiry = expiresAt ? new Date(expiresAt) : null;
  if (expiry && expiry <= now) {
    throw invalidField('expiresAt', 'not_in_the_future', 'must lie in the future');
  }
  const key = newApiKey();
  const record: ApiKeyDocument = {
    _id: await nextId('api_keys'),
    workspaceId,
    name,
    hash: hashOf(key),
    ...hintsOf(key),
    scopes: [...new Set(scopes)],
    createdBy,
    createdAt: now,
    expiresAt: expiry,
    lastUsedAt: null,
    revokedAt: null,
  };
  await ApiKeyModel.create(record);
  log('api-key.created', { keyId: record._id, workspaceId });
  return { ...showApiKey(record), key };
}

/** The workspace's keys by id, revoked and expired ones included. */
export async function listApiKeys({ workspaceId, ...position }: Params<'identity.listApiKeys'>) {
  const { limit } = position;
  const rows = await ApiKeyModel.find({ workspaceId, _id: { $gt: positionOf(position) } })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean()
    .exec();
  return pageFrom(rows, limit, showApiKey, ({ _id }) => cursorOf(_id));
}

export const findApiKey = batchFind<ApiKeyDocument>(ApiKeyModel);

type KeyOfWorkspace = Pick<ApiKeyDocument, '_id' | 'workspaceId'>;

/** Revokes a key. A key that is revoked already keeps the time of its first revocation. */
export async function revokeApiKey(
  { _id, workspaceId }: KeyOfWorkspace,
  { emit, log }: CallContext,
): Promise<void> {
  const { modifiedCount } = await ApiKeyModel.updateOne(
    { _id, revokedAt: null },
    { revokedAt: new Date() },
  );
  if (modifiedCount > 0) log('api-key.revoked', { keyId: _id, workspaceId });
  await emit(apiKeyRevoked, { keyId: _id });
}

/** Revokes the keys that the person has made, in all workspaces. */
export async function revokeKeysMadeBy(userId: number, call: CallContext): Promise<void> {
  const keys = await ApiKeyModel.find(
    { 'createdBy.id': userId, 'createdBy.type': 'person', revokedAt: null },
    { workspaceId: 1 },
  )
    .lean<KeyOfWorkspace[]>()
    .exec();
  for (const key of keys) await revokeApiKey(key, call);
}

function showApiKey(record: ApiKeyDocument) {
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
