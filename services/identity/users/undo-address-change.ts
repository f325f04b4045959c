import { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { invalidField } from '../../../contract/problem.ts';
import { eventMessage } from '../../../mixins/changes/outbox.ts';
import type { ChangedEmail } from '../../../models/user.model.ts';
import type { CallContext } from '../call-context.ts';
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
 * Restores the address to which the token was mailed. Whoever has changed the address may know the password, so the
 * sessions and the password end, and a mail to the address lets its owner set a new password. Throws 400 for a token
 * that is not one, was used, or has expired.
 */
export async function undoAddressChange(token: string, call: CallContext): Promise<void> {
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
  changedEmails.find(({ since }) => since.getTime() === at);

const invalidToken = () => invalidField('token', 'invalid_token', 'is unknown, used or expired');
