import type { ApiKeyCaller } from '../../../contract/caller.ts';
import { batchById, batchFind } from '../../../mixins/database/batch-loader.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { logger } from '../../../support/logging.ts';
import { isWellFormed } from './api-key.ts';

/** Milliseconds between two writes of a key's last use. A use within them is not stored. */
const USE_STORED_EVERY_MS = 60_000;

const UNREVOKED = { revokedAt: null };
const PROJECTION = { outbox: 0 } as const;

const findByHash = batchFind<ApiKeyDocument, 'hash'>(ApiKeyModel, {
  key: 'hash',
  filter: UNREVOKED,
  projection: PROJECTION,
});

/** A record, and the end of the grace time of one of its replaced keys. */
interface ReplacedKey {
  hash: string;
  until: Date;
  record: ApiKeyDocument;
}

const findReplaced = batchById<string, ReplacedKey>(
  async (hashes) => {
    const filter = { ...UNREVOKED, 'replaced.hash': { $in: hashes }, removedAt: null };
    const records = await ApiKeyModel.find(filter, PROJECTION).lean<ApiKeyDocument[]>();
    return records.flatMap((record) =>
      (record.replaced ?? []).map(({ hash, until }) => ({ hash, until, record })),
    );
  },
  ({ hash }) => hash,
);

/** The caller of a valid API key; null for any other key. A key that is not well formed costs no query. */
export async function authenticateKey(key: string): Promise<ApiKeyCaller | null> {
  if (!isWellFormed(key)) return null;
  const now = new Date();
  const found = await findLive(hashOf(key), now);
  if (!found || (found.expiresAt && found.expiresAt <= now)) return null;
  storeUse(found, now);
  const { _id, name, workspaceId, scopes } = found;
  return { kind: 'api-key', keyId: _id, name, workspaceId, scopes };
}

/** The record whose present key, or whose replaced key in its grace time, has the hash. Both are asked for together. */
async function findLive(hash: string, now: Date): Promise<Readonly<ApiKeyDocument> | null> {
  const [present, replaced] = await Promise.all([findByHash(hash), findReplaced(hash)]);
  return present ?? (replaced && replaced.until > now ? replaced.record : null);
}

/** Stores the time of the key's last use. The write is not awaited, and a failure is only logged. */
function storeUse({ _id, lastUsedAt }: Readonly<ApiKeyDocument>, now: Date): void {
  const stale = new Date(now.getTime() - USE_STORED_EVERY_MS);
  if (lastUsedAt && lastUsedAt > stale) return;
  ApiKeyModel.updateOne(
    { _id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: stale } }] },
    { lastUsedAt: now },
  ).catch((error: unknown) => logger.warn({ err: error, keyId: _id }, 'The use was not stored'));
}
