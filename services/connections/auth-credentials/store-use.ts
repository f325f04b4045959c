import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { logger } from '../../../support/logging.ts';
import type { StoredAuthCredential } from './auth-credentials.store.ts';

/** Milliseconds between two writes of a credential's last use. A use within them is not stored. */
const USE_STORED_EVERY_MS = 60_000;

/** Stores the time of the credential's last use. The write is not awaited, and a failure is only logged. */
export function storeUse(
  { _id, lastUsedAt }: Pick<StoredAuthCredential, '_id' | 'lastUsedAt'>,
  now: Date,
): void {
  const stale = new Date(now.getTime() - USE_STORED_EVERY_MS);
  if (lastUsedAt && lastUsedAt > stale) return;
  AuthCredentialModel.updateOne(
    { _id, removedAt: null, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: stale } }] },
    { lastUsedAt: now },
  ).catch((error: unknown) =>
    logger.warn({ err: error, credentialId: _id }, 'The use was not stored'),
  );
}
