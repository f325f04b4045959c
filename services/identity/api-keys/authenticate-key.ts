import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import { logger } from '../../../support/logging.ts';
import { hashOf } from '../secret.ts';
import { isWellFormed } from './api-key.ts';

/** How exactly the last use is kept: one write a minute for each key is enough. */
const USE_NOTED_EVERY_MS = 60_000;

const findByHash = batchFind<ApiKeyDocument, 'hash'>(ApiKeyModel, {
  key: 'hash',
  filter: { revokedAt: null },
});

/** The API key that this is, if it holds. */
export async function authenticateKey(key: string) {
  if (!isWellFormed(key)) return null;
  const found = await findByHash(hashOf(key));
  const now = new Date();
  if (!found || (found.expiresAt && found.expiresAt <= now)) return null;
  noteUse(found, now);
  const { _id, name, workspaceId, scopes } = found;
  return { kind: 'api-key' as const, keyId: _id, name, workspaceId, scopes };
}

/** Nobody waits for this write, and nothing depends on it. */
function noteUse({ _id, lastUsedAt }: ApiKeyDocument, now: Date): void {
  const stale = new Date(now.getTime() - USE_NOTED_EVERY_MS);
  if (lastUsedAt && lastUsedAt > stale) return;
  ApiKeyModel.updateOne(
    { _id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: stale } }] },
    { lastUsedAt: now },
  ).catch((error: unknown) => logger.warn({ err: error, keyId: _id }, 'The use was not noted'));
}
