import { actorOf } from '../../../../contract/caller.ts';
import { DELETED_ACTOR_NAME } from '../../../../contract/deleted-user.ts';
import { isProblem, noUser } from '../../../../contract/problem.ts';
import type { ChangeContext } from '../../../../mixins/changes/change-context.ts';
import { eventMessage } from '../../../../mixins/changes/outbox.ts';
import { assertMatches } from '../../../../mixins/changes/precondition.ts';
import type { UserDeletion } from '../../../../models/user.model.ts';
import { LastOwner } from '../../../workspaces/workspaces.problems.ts';
import type { CallContext } from '../../call-context.ts';
import { sessionRevoked } from '../../identity.events.ts';
import { assertRecentSignIn } from '../../sessions/carried-session.ts';
import { nextSessionEpoch } from '../../sessions/session.ts';
import { type StoredUser, users } from '../users.store.ts';
import { getUser, showUser } from '../users.ts';
import { eraseUser, STEP, stepOf } from './erase-user.ts';
import type { Memberships } from './memberships.ts';

/**
 * Deletes a user. The decision is stored before the memberships end, so that a sweep finishes an interrupted deletion
 * (`finish-deletions.ts`). Throws 409 while the user is the only OWNER of a workspace with other members.
 */
export async function deleteUser(
  id: number,
  call: CallContext,
  memberships: Memberships,
): Promise<void> {
  const user = await getUser(id);
  await assertRecentSignIn(call.caller, user);
  const change = call.changeAs(actorOf(call.caller));
  await assertMatches(user, change, showUser);
  await memberships.assertRemovable(id);
  const closed = await close(user, change);
  await carryOut(closed, memberships);
  call.log('account.deleted', { userId: id });
}

/**
 * Ends the memberships and erases the user. Opens the account again when the person has become the only OWNER of a
 * workspace since the check; the sessions have ended.
 */
export async function carryOut(user: ClosedUser, memberships: Memberships): Promise<void> {
  try {
    await memberships.end(user._id, user.deletion);
  } catch (error) {
    if (isProblem(error, LastOwner)) {
      await users.tryChange(user, { unset: ['deletion', 'closedAt'] }, stepOf(user.deletion));
    }
    throw error;
  }
  await eraseUser(user);
}

export type ClosedUser = StoredUser & { deletion: UserDeletion };

/** Stores the decision and ends the sessions, so that the person makes nothing while the memberships end. */
async function close(user: StoredUser, change: ChangeContext): Promise<ClosedUser> {
  const deletion = deletionBy(change, user);
  const decide = (current: StoredUser) => {
    if (current.deletion?.erasedAt) throw noUser(user._id);
    return {
      set: { deletion, closedAt: deletion.at, sessionEpoch: nextSessionEpoch(current) },
      messages: [eventMessage(sessionRevoked, { userId: user._id })],
    };
  };
  const closed = await users.change(user, decide, { ...change, audit: STEP }, showUser);
  return { ...closed, deletion };
}

/** The deletion as the user stores it. The actor of the own deletion has no name any more. */
function deletionBy(
  { actor, via, operation, requestId }: ChangeContext,
  user: StoredUser,
): UserDeletion {
  const isOwn = actor.type === 'person' && actor.id === user._id;
  const shown = isOwn ? { ...actor, name: DELETED_ACTOR_NAME } : actor;
  return { at: new Date(), actor: shown, via, operation, requestId };
}
