import { actorOf, personOf } from '../../../contract/caller.ts';
import { Problem } from '../../../contract/problem.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { sessionRevoked } from '../identity.events.ts';
import { WrongPassword } from '../identity.problems.ts';
import { carrySession, nextSessionEpoch, revokeSessions } from '../sessions/session.ts';
import { changeUser, type StoredUser } from '../users/users.store.ts';
import { getUser } from '../users/users.ts';
import { checkPassword } from './check-password.ts';
import { assertStrong, hashPassword } from './password.ts';
import { shareOf } from './password-queue.ts';

/** Sets a new password and ends the person's other sessions. */
export async function changePassword(
  { currentPassword, newPassword }: Params<'identity.changePassword'>,
  call: CallContext,
): Promise<void> {
  const { userId, sessionId } = personOf(call.caller);
  const user = await getUser(userId);
  const { email, passwordHash } = user;
  assertStrong('newPassword', newPassword, email);
  const check = {
    emailKey: user.emailKey,
    user,
    passwordHash,
    password: currentPassword,
    sessionId,
  };
  if (!(await checkPassword(check, call))) throw wrongPassword();
  const newHash = await hashPassword(newPassword, shareOf(call.client, user.emailKey));
  await carrySession(sessionId, user);
  const decide = (current: StoredUser) => {
    if (current.passwordHash !== passwordHash) return null; // the password has changed since the comparison
    const sessionEpoch = nextSessionEpoch(current);
    return { set: { passwordHash: newHash, sessionEpoch }, changed: ['password'] };
  };
  const change = call.changeAs(actorOf(call.caller));
  if (!(await changeUser(user, decide, change))) throw wrongPassword();
  call.log('account.password-changed', { userId });
  await revokeSessions(userId, sessionId);
  await call.emit(sessionRevoked, { userId });
}

const wrongPassword = (): Problem =>
  new Problem(WrongPassword, 'The current password is not the one given.');
