import { invalidField } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { createInSlot } from '../../../mixins/database/quota-slots.ts';
import { KEY_QUOTA_INDEX } from '../../../models/api-key.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { hintsOf, newApiKey } from './api-key.ts';
import { apiKeys, type StoredApiKey } from './api-keys.store.ts';
import { findFreeKeySlot } from './key-quota.ts';
import { showApiKey } from './show-api-key.ts';

/**
 * Creates a key. No answer but those of this function and of a rotation contains the key itself. The key is null where
 * an earlier attempt of the request has stored the record: the hash there is that of another key.
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
  const earlier = await findEarlierAttempt(change);
  if (earlier) return { ...showApiKey(earlier), key: null };
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
  const record = await createWithinQuota(wanted, change);
  const isNew = 'hash' in record && record.hash === wanted.hash;
  if (isNew) log('api-key.created', { keyId: record._id, workspaceId });
  return { ...showApiKey(record), key: isNew ? key : null };
}

/** The record that an attempt with the same `Idempotency-Key` has stored. The quota counts such a record once. */
const findEarlierAttempt = async ({ reservedId }: ChangeContext) =>
  reservedId === undefined ? null : apiKeys.find(reservedId);

async function createWithinQuota(
  record: Parameters<typeof apiKeys.create>[0],
  change: ChangeContext,
): Promise<StoredApiKey> {
  const { API_KEYS_PER_WORKSPACE: quota } = environment;
  if (quota === null) return apiKeys.create(record, change);
  return createInSlot([KEY_QUOTA_INDEX], async () => {
    const quotaSlot = await findFreeKeySlot(record.workspaceId, quota);
    return apiKeys.create({ ...record, quotaSlot }, change);
  });
}
