import { Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { CallContext } from '../call-context.ts';
import { apiKeyRevoked } from '../identity.events.ts';
import { ApiKeyEnded } from '../identity.problems.ts';
import { hintsOf, newApiKey } from './api-key.ts';
import { apiKeys, type StoredApiKey } from './api-keys.store.ts';
import { showApiKey } from './show-api-key.ts';

/** Replaced keys of one record. Beyond it the key that was replaced first is refused before its grace time ends. */
const MAX_REPLACED = 5;

/**
 * Gives the record a new key. The present key holds for `graceMs` more; keys that earlier rotations have replaced keep
 * their end, or end with it. Throws 409 for a revoked or expired key.
 */
export async function rotateApiKey(
  record: StoredApiKey,
  graceMs: number,
  change: ChangeContext,
  { emit, log }: CallContext,
) {
  const key = newApiKey();
  const decide = async (current: StoredApiKey) => {
    const now = new Date();
    assertLive(current, now);
    const replaced = await replacedKeysOf(current._id, now, graceMs);
    return { set: { hash: hashOf(key), ...hintsOf(key), replaced }, changed: ['key'] };
  };
  const rotated = await apiKeys.change(record, decide, change);
  const { _id: keyId, workspaceId } = rotated;
  log('api-key.rotated', { keyId, workspaceId });
  await emit(apiKeyRevoked, { keyId });
  return { ...showApiKey(rotated), key };
}

function assertLive({ revokedAt, expiresAt }: StoredApiKey, now: Date): void {
  if (revokedAt) throw new Problem(ApiKeyEnded, 'The API key is revoked.');
  if (expiresAt && expiresAt <= now) throw new Problem(ApiKeyEnded, 'The API key has expired.');
}

/** The keys that still hold after a rotation, the present key first. */
async function replacedKeysOf(
  _id: number,
  now: Date,
  graceMs: number,
): Promise<NonNullable<ApiKeyDocument['replaced']>> {
  const end = new Date(now.getTime() + graceMs);
  const record = await ApiKeyModel.findById(_id, { hash: 1, replaced: 1 }).lean<ApiKeyDocument>();
  if (!record) return []; // removed since it was read: the store refuses the change
  const earlier = (record.replaced ?? []).map(({ hash, until }) => ({
    hash,
    until: until < end ? until : end,
  }));
  return [{ hash: record.hash, until: end }, ...earlier]
    .filter(({ until }) => until > now)
    .slice(0, MAX_REPLACED);
}
