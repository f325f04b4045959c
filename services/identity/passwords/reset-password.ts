import { invalidField } from '../../../contract/problem.ts';
import { ResetTokenModel } from '../../../models/reset-token.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { sessionRevoked } from '../identity.events.ts';
import { freeSlot } from '../mail/mail-slot.ts';
import { withNetwork } from '../sessions/known-networks.ts';
import { epochsOfTakeover, resetEpochOf, revokeSessions } from '../sessions/session.ts';
import { verifiedEmailOf } from '../users/addresses.ts';
import { changeUser, type StoredUser } from '../users/users.store.ts';
import { actorOfUser, findUser } from '../users/users.ts';
import { assertStrong, hashPassword } from './password.ts';
import { shareOf } from './password-queue.ts';

/** Sets a new password by a mailed token, and ends every session. A refusal does not use the token up. */
export async function resetPassword(
  { token, newPassword }: Params<'identity.resetPassword'>,
  call: CallContext,
): Promise<void> {
  const user = await getUserOf(token);
  assertStrong('newPassword', newPassword, user.email);
  const { _id: userId, emailKey } = user;
  const passwordHash = await hashPassword(newPassword, shareOf(call.client, emailKey));
  if (!(await setPassword(user, passwordHash, call))) throw invalidToken();
  call.log('account.password-reset', { userId });
  await revokeSessions(userId);
  await call.emit(sessionRevoked, { userId });
  await ResetTokenModel.deleteMany({ userId });
  await freeSlot('reset', emailKey);
}

async function getUserOf(secret: string): Promise<StoredUser> {
  const token = await ResetTokenModel.findOne({
    _id: hashOf(secret),
    expiresAt: { $gt: new Date() },
  })
    .lean()
    .exec();
  const user = token && (await findUser(token.userId));
  const counts = user && verifiedEmailOf(user)?.emailKey === token?.emailKey;
  if (!counts || resetEpochOf(user) !== (token.resetEpoch ?? 0)) throw invalidToken();
  return user;
}

/**
 * Sets the password, unless another reset has set a password since the user was read. A password that a session has
 * set since the read is replaced.
 */
async function setPassword(
  user: StoredUser,
  passwordHash: string,
  { client, changeAs }: CallContext,
): Promise<boolean> {
  const knownNetworks = withNetwork(null, client) ?? [];
  const decide = (current: StoredUser) => {
    if (!isOpen(current, user)) return null;
    const set = { passwordHash, knownNetworks, ...epochsOfTakeover(current) };
    return { set, changed: ['password'] };
  };
  return (await changeUser(user, decide, changeAs(actorOfUser(user)))) !== null;
}

/** Whether the token that was read with the user still counts. */
const isOpen = (current: StoredUser, user: StoredUser): boolean =>
  verifiedEmailOf(current)?.emailKey === verifiedEmailOf(user)?.emailKey &&
  resetEpochOf(current) === resetEpochOf(user);

const invalidToken = () => invalidField('token', 'invalid_token', 'is unknown, used or expired');
