import { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { invalidField } from '../../../contract/problem.ts';
import { eventMessage } from '../../../mixins/changes/outbox.ts';
import type { ChangedEmail } from '../../../models/user.model.ts';
import type { CallContext } from '../call-context.ts';
import { findEmailToken } from '../email-verification/verify-email.ts';
import { sessionRevoked } from '../identity.events.ts';
import { unknownPassword } from '../passwords/password.ts';
import { shareOf } from '../passwords/password-queue.ts';
import { epochsOfTakeover, revokeSessions } from '../sessions/session.ts';
import { signedToken } from '../signed-token.ts';
import { restorationOf } from './address-change.ts';
import { changeUser, type StoredUser } from './users.store.ts';
import { actorOfUser, findUser } from './users.ts';

/** The token that undoes a change of address: the user's id, and the times of the first change and of the token's end. */
export const undoToken = signedToken('undo token', z.tuple([Id, z.int(), z.int()]));

/**
 * Undoes a change of address: by the token mailed to the address before it, or by the one mailed to the address after it,
 * whose owner so gets rid of an account that is not theirs. Throws 400 for a token that is not one, was used, or has expired.
 */
export const undoAddressChange = (token: string, call: CallContext): Promise<void> =>
  undoToken.read(token) ? restoreAddress(token, call) : freeClaimedAddress(token, call);

/** Gives an account its verified address back in place of one that it has claimed. Nobody gets the account by that. */
async function freeClaimedAddress(secret: string, call: CallContext): Promise<void> {
  const token = await findEmailToken(secret);
  const user = token && (await findUser(token.userId));
  const decide = (current: StoredUser) => {
    const { emailKey, emailVerified, verifiedEmail, deletion } = current;
    const isClaimed = emailKey === token?.emailKey && !emailVerified && !deletion;
    if (!isClaimed || !verifiedEmail) return null;
    return { ...restorationOf(current, verifiedEmail), changed: ['email'] };
  };
  const change = user && call.changeAs(actorOfUser(user));
  if (!user || !change || !(await changeUser(user, decide, change))) throw invalidToken();
  call.log('account.address-restored', { userId: user._id });
}

/**
 * Restores the address to which the token was mailed. Whoever has changed the address may know the password, so the
 * sessions and the password end, and a mail to the address lets its owner set a new password.
 */
async function restoreAddress(token: string, call: CallContext): Promise<void> {
  const { user, changed } = await getChange(token);
  const { _id: userId } = user;
  const password = await unknownPassword(shareOf(call.client, changed.emailKey));
  const decide = (current: StoredUser) => {
    const present = current.deletion ? undefined : findChange(current, changed.since.getTime());
    if (!present) return null;
    const { set, unset, messages } = restorationOf(current, present, true);
    return {
      set: { ...set, ...password, ...epochsOfTakeover(current) },
      unset,
      changed: ['email', 'password'],
      messages: [eventMessage(sessionRevoked, { userId }), ...messages],
    };
  };
  if (!(await changeUser(user, decide, call.changeAs(actorOfUser(user))))) throw invalidToken();
  call.log('account.address-restored', { userId });
  await revokeSessions(userId);
  await call.emit(sessionRevoked, { userId });
}

async function getChange(token: string): Promise<{ user: StoredUser; changed: ChangedEmail }> {
  const [userId, since, until] = undoToken.read(token) ?? [];
  const isOpen = until !== undefined && until > Date.now();
  const user = isOpen && userId !== undefined ? await findUser(userId) : null;
  const changed = user && since !== undefined ? findChange(user, since) : undefined;
  if (!user || !changed || user.deletion) throw invalidToken();
  return { user, changed };
}

const findChange = ({ changedEmails = [] }: StoredUser, at: number): ChangedEmail | undefined =>
  changedEmails.find(({ since, until }) => since.getTime() === at && until > new Date());

const invalidToken = () => invalidField('token', 'invalid_token', 'is unknown, used or expired');
