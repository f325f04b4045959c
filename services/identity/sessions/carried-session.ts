import type { Caller } from '../../../contract/caller.ts';
import { Problem, tokenNeeded } from '../../../contract/problem.ts';
import { SessionModel } from '../../../models/session.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { RecentSignInRequired } from '../identity.problems.ts';
import { epochOf, findSession, isOfPresentEpoch, revokeSessions } from './session.ts';

/**
 * The id of the user's own session that makes a call; null for a call by an operator or a service. Throws 401 when a
 * change of the user has ended the session since the call was authenticated.
 */
export async function assertLiveSession(
  caller: Caller,
  user: UserDocument,
): Promise<string | null> {
  if (caller.kind !== 'person' || caller.userId !== user._id) return null;
  const session = await findSession(caller.sessionId, user._id);
  if (!session || !isOfPresentEpoch(session, user)) throw tokenNeeded();
  return session._id;
}

/** Milliseconds after its sign-in in which a session may delete the account. */
const RECENT_MS = 15 * 60_000;

/**
 * Throws 403 for a user's own session that was signed in more than 15 minutes ago. A refresh is no sign-in, so that the
 * thief of a token cannot delete the account.
 */
export async function assertRecentSignIn(caller: Caller, user: UserDocument): Promise<void> {
  if (caller.kind !== 'person' || caller.userId !== user._id) return;
  const session = await findSession(caller.sessionId, user._id);
  if (!session) throw tokenNeeded();
  if (session.createdAt.getTime() > Date.now() - RECENT_MS) return;
  const detail = 'Deleting an account takes a sign-in within the last 15 minutes: sign in again.';
  throw new Problem(RecentSignInRequired, detail);
}

/**
 * Revokes the sessions that a change of the user's epoch has ended, and gives the carried session the epoch of the
 * user. The epoch alone has decided which sessions are valid, so an interruption here has no effect.
 */
export async function endOtherSessions(user: UserDocument, caller: Caller): Promise<void> {
  const isOwn = caller.kind === 'person' && caller.userId === user._id;
  const kept = isOwn ? caller.sessionId : undefined;
  if (kept !== undefined) {
    await SessionModel.updateOne({ _id: kept, userId: user._id }, { epoch: epochOf(user) });
  }
  await revokeSessions(user._id, kept);
}
