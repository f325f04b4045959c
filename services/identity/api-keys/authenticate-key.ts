import type { ApiKeyCaller } from '../../../contract/caller.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { logger } from '../../../support/logging.ts';
import { isWellFormed } from './api-key.ts';

/** Milliseconds between two writes of a key's last use. A use within them is not stored. */
const USE_STORED_EVERY_MS = 60_000;

const findByHash = batchFind<ApiKeyDocument, 'hash'>(ApiKeyModel, {
  key: 'hash',
  filter: { revokedAt: null },
  projection: { outbox: 0 },
});

/** The caller of a valid API key; null for any other key. */
export async function authenticateKey(key: string): Promise<ApiKeyCaller | null> {
  if (!isWellFormed(key)) return null;
  const found = await findByHash(hashOf(key));
  const now = new Date();
  if (!found || (found.expiresAt && found.expiresAt <= now)) return null;
  storeUse(found, now);
  const { _id, name, workspaceId, scopes } = found;
  return { kind: 'api-key', keyId: _id, name, workspaceId, scopes };
}

/** Stores the time of the key's last use. The write is not awaited, and a failure is only logged. */
function storeUse({ _id, lastUsedAt }: ApiKeyDocument, now: Date): void {
  const stale = new Date(now.getTime() - USE_STORED_EVERY_MS);
  if (lastUsedAt && lastUsedAt > stale) return;
  ApiKeyModel.updateOne(
    { _id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: stale } }] },
    { lastUsedAt: now },
  ).catch((error: unknown) => logger.warn({ err: error, keyId: _id }, 'The use was not stored'));
}
