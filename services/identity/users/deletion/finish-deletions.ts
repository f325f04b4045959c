import { UserModel } from '../../../../models/user.model.ts';
import { logger } from '../../../../support/logging.ts';
import { users } from '../users.store.ts';
import { type ClosedUser, carryOut } from './delete-user.ts';
import { stepOf } from './erase-user.ts';
import type { Memberships } from './memberships.ts';

/** Milliseconds from the decision of a deletion; beyond them the deletion counts as interrupted. */
const INTERRUPTED_MS = 30_000;
/** Milliseconds from the erasure to the removal of the user, so that requests of the last sessions have ended. */
const LAST_LOOK_MS = 60_000;
/** Users of one sweep; further users wait for the next sweep. */
const SWEEP_SIZE = 100;

/**
 * Finishes interrupted deletions, and removes erased users after another look for memberships, which a request of a
 * former session may have made. Several processes may call this function at once.
 */
export async function finishDeletions(memberships: Memberships, now = Date.now()): Promise<void> {
  const interrupted = { $lte: new Date(now - INTERRUPTED_MS) };
  const erased = { $lte: new Date(now - LAST_LOOK_MS) };
  const due = await UserModel.find(
    {
      'deletion.at': interrupted,
      $or: [{ 'deletion.erasedAt': null }, { 'deletion.erasedAt': erased }],
    },
    users.projection,
  )
    .limit(SWEEP_SIZE)
    .lean<ClosedUser[]>()
    .exec();
  for (const user of due) {
    await finish(user, memberships).catch((error: unknown) => {
      logger.warn({ err: error, userId: user._id }, 'A deletion of a user is finished later');
    });
  }
}

async function finish(user: ClosedUser, memberships: Memberships): Promise<void> {
  if (!user.deletion.erasedAt) return carryOut(user, memberships);
  await memberships.end(user._id, user.deletion);
  await users.tryRemove(user, stepOf(user.deletion));
}
