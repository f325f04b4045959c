import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { busy } from '../../../mixins/changes/document-queue.ts';
import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { logger } from '../../../support/logging.ts';
import { removeToken } from '../oauth-tokens/token-store.ts';
import { credentialInUse } from './auth-credentials.problems.ts';
import { authCredentials, type StoredAuthCredential } from './auth-credentials.store.ts';
import type { CredentialUsers } from './references/credential-users.ts';
import { showAuthCredential } from './show-credential.ts';

/** Milliseconds of a deletion by the clock of the database. A process that has not ended it by then has crashed. */
const DELETION_MS = 30_000;
/** Milliseconds that a deletion waits for writers of references; then it is refused with 503. */
const WAIT_MS = 2_000;
/** Milliseconds between two looks at the reservations. */
const POLL_MS = 50;

/**
 * Deletes a credential that nobody uses. From its mark on no new reference can be written, so that the users found
 * afterwards are all there are.
 */
export async function removeAuthCredential(
  credential: StoredAuthCredential,
  change: ChangeContext,
  findUsers: CredentialUsers,
): Promise<null> {
  const token = randomUUID();
  try {
    await authCredentials.remove(credential, change, {
      show: showAuthCredential,
      async check(current) {
        await markDeletion(current, token);
        const { users, more } = await findUsers(current);
        if (users.length > 0) throw credentialInUse(users, more);
      },
    });
  } catch (error) {
    await unmarkDeletion(credential, token);
    throw error;
  }
  await removeTokenOf(credential);
  return null;
}

/** Removes the token of a deleted credential. After a crash or a failure the database deletes the token two days later. */
async function removeTokenOf({ _id }: StoredAuthCredential): Promise<void> {
  await removeToken(_id).catch((error: unknown) =>
    logger.warn({ err: error, credentialId: _id }, 'The token of a deleted credential was left'),
  );
}

/** Marks the credential as soon as no writer has reserved it. Another deletion of the credential loses its mark. */
async function markDeletion({ _id }: StoredAuthCredential, token: string): Promise<void> {
  const held = { input: { $ifNull: ['$reservations', []] }, as: 'held' };
  const isReserved = { $filter: { ...held, cond: { $gt: ['$$held.until', '$$NOW'] } } };
  const deletion = { token: { $literal: token }, until: { $add: ['$$NOW', DELETION_MS] } };
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const { matchedCount } = await AuthCredentialModel.updateOne(
      { _id, removedAt: null, $expr: { $eq: [{ $size: isReserved }, 0] } },
      [{ $set: { deletion } }],
      { updatePipeline: true },
    );
    if (matchedCount > 0 || !(await AuthCredentialModel.exists({ _id, removedAt: null }))) return;
    if (performance.now() >= end) throw busy('References to this resource are being written.');
    await sleep(POLL_MS);
  }
}

/**
 * Takes the mark of this deletion away; that of another deletion stays. The revision is raised, so that a deletion
 * whose mark this one has replaced asks for users again.
 */
async function unmarkDeletion({ _id }: StoredAuthCredential, token: string): Promise<void> {
  await AuthCredentialModel.updateOne(
    { _id, 'deletion.token': token },
    { $unset: { deletion: 1 }, $inc: { revision: 1 } },
  );
}
