import { Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import type { Params } from '../../contracts.ts';
import { revokeKeysMadeBy } from '../api-keys/api-keys.ts';
import type { CallContext } from '../call-context.ts';
import { EmailAlreadyVerified, UserNotRegistered } from '../identity.problems.ts';
import { mailReset } from '../passwords/forgot-password.ts';
import { unknownPassword } from '../passwords/password.ts';
import { shareOf } from '../passwords/password-queue.ts';
import { epochsOfTakeover } from '../sessions/session.ts';
import { changeUser, type StoredUser } from '../users/users.store.ts';
import { findUser, getUser } from '../users/users.ts';
import { endFormerUse, verificationOf } from './verify-email.ts';

/**
 * Verifies an address on the word of an operator. The operator knows the owner of the address, and seldom who has
 * registered it. So the account gets a password that nobody knows, and its sessions and API keys end, as after a
 * takeover by mail. With `keepPassword` the operator vouches for the person who has registered as well.
 *
 * Throws 404 for an unknown user, and 409 for a verified address or `keepPassword` without a password to keep.
 */
export async function verifyByOperator(
  { userId, keepPassword }: Params<'identity.verifyUser'>,
  change: ChangeContext,
  call: CallContext,
) {
  const user = await getUser(userId);
  assertVerifiable(user, keepPassword);
  const asOperator = { ...call, changeAs: () => change };
  if (!keepPassword) await revokeKeysMadeBy(user, asOperator);
  const verified = await markVerified(user, keepPassword, change, call);
  const password = keepPassword ? 'kept' : 'replaced';
  call.log('account.email-verified', { userId, proof: 'operator', password });
  if (!keepPassword) await endFormerUse(user, asOperator);
  await EmailTokenModel.deleteMany({ userId, emailKey: user.emailKey });
  return {
    email: verified.email,
    mailed: !keepPassword && (await mailReset(verified, call.mails)),
  };
}

function assertVerifiable(user: StoredUser, keepPassword: boolean): void {
  if (user.emailVerified) throw alreadyVerified(user);
  if (!keepPassword || user.passwordHash !== null) return;
  const detail = `Nobody has registered as user ${user._id} yet: there is no password to keep.`;
  throw new Problem(UserNotRegistered, detail);
}

/** Marks the address verified that the operator has seen. Throws 409 when it has changed or was verified meanwhile. */
async function markVerified(
  user: StoredUser,
  keepPassword: boolean,
  change: ChangeContext,
  call: CallContext,
): Promise<StoredUser> {
  const takeover = keepPassword ? null : await unknownPassword(shareOf(call.client, user.emailKey));
  const decide = async (current: StoredUser) => {
    if (current.emailKey !== user.emailKey || current.emailVerified || current.deletion)
      return null;
    const verification = await verificationOf(current);
    if (!takeover) return verification;
    return {
      ...verification,
      set: { ...takeover, ...epochsOfTakeover(current), ...verification.set },
      changed: [...verification.changed, 'password'],
    };
  };
  const verified = await changeUser(user, decide, change);
  if (!verified) throw alreadyVerified((await findUser(user._id)) ?? user);
  return verified;
}

const alreadyVerified = ({ _id, emailVerified }: StoredUser): Problem =>
  new Problem(
    EmailAlreadyVerified,
    emailVerified
      ? `The address of user ${_id} is verified already.`
      : `The address of user ${_id} has changed meanwhile.`,
  );
