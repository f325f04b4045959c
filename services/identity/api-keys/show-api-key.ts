import type { StoredApiKey } from './api-keys.store.ts';

/** The answer's form of a key, without the key itself. */
export function showApiKey(record: StoredApiKey) {
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
