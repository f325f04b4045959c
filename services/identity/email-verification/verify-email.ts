import { invalidField, Problem } from '../../../contract/problem.ts';
import { eventMessage } from '../../../mixins/changes/outbox.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import { type EmailTokenDocument, EmailTokenModel } from '../../../models/email-token.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import { revokeKeysMadeBy } from '../api-keys/api-keys.ts';
import type { CallContext } from '../call-context.ts';
import { autoJoinMessages } from '../email-domains/domain-of-address.ts';
import { sessionRevoked, userVerified } from '../identity.events.ts';
import { WrongPassword } from '../identity.problems.ts';
import { checkPassword } from '../passwords/check-password.ts';
import { assertStrong, hashPassword } from '../passwords/password.ts';
import { shareOf } from '../passwords/password-queue.ts';
import { epochsOfTakeover, resetEpochOf, revokeSessions } from '../sessions/session.ts';
import { addressUpdate } from '../users/addresses.ts';
import { changeUser, type StoredUser } from '../users/users.store.ts';
import { actorOfUser, findUser } from '../users/users.ts';

type Verification = Params<'identity.verifyEmail'>;

/** An open token and the token's user, as read from the database. */
interface Claim {
  token: EmailTokenDocument;
  user: StoredUser;
}

/**
 * Verifies an address by the token mailed to it. A stranger may have registered the address, so the token
 * comes with a proof of the account, or with a new password that takes the account over.
 */
export async function verifyEmail(verification: Verification, call: CallContext): Promise<void> {
  for (;;) {
    const claim = await getClaim(verification.token);
    const isTakeover = verification.newPassword !== undefined;
    const change = await determineChange(verification, claim, call);
    const { _id: userId } = claim.user;
    if (isTakeover) await revokeKeysMadeBy(claim.user, call);
    if (!(await markVerified(claim, change, isTakeover, call))) continue;
    call.log('account.email-verified', { userId, proof: proofOf(verification) });
    if (isTakeover) await endFormerUse(claim.user, call);
    await EmailTokenModel.deleteMany({ userId, emailKey: claim.user.emailKey });
    return;
  }
}

function proofOf({ password, newPassword }: Verification): string {
  if (newPassword !== undefined) return 'new-password';
  return password === undefined ? 'session' : 'password';
}

/** The mailed token with a secret; null for one that is unknown, used or expired. */
export const findEmailToken = (secret: string): Promise<EmailTokenDocument | null> =>
  EmailTokenModel.findOne({ _id: hashOf(secret), expiresAt: { $gt: new Date() } })
    .lean()
    .exec();

async function getClaim(secret: string): Promise<Claim> {
  const token = await findEmailToken(secret);
  const user = token && (await findUser(token.userId));
  if (!token || !user || !isOpen(token, user)) {
    throw invalidField('token', 'invalid_token', 'is unknown, used or expired');
  }
  return { token, user };
}

/** Whether the token's address is still the user's, and still unverified. */
const isOpen = ({ emailKey, pending }: EmailTokenDocument, user: UserDocument): boolean =>
  user.emailKey === emailKey && (pending ? user.passwordHash === null : !user.emailVerified);

type Change = Partial<
  Pick<UserDocument, 'passwordHash' | 'firstName' | 'lastName' | 'knownNetworks'>
>;

/** Determines the change of the user. Throws without a proof of the account and without a new password. */
async function determineChange(
  { password, newPassword }: Verification,
  { token: { pending }, user }: Claim,
  call: CallContext,
): Promise<Change> {
  if (user.verifiedEmail) assertPasswordAlone({ password, newPassword });
  if (newPassword !== undefined) {
    if (password !== undefined) {
      throw invalidField('newPassword', 'not_with_password', 'cannot be given beside password');
    }
    assertStrong('newPassword', newPassword, user.email);
    const share = shareOf(call.client, user.emailKey);
    return { passwordHash: await hashPassword(newPassword, share), knownNetworks: [] };
  }
  if (password !== undefined) {
    const { passwordHash } = pending ?? user;
    const check = { emailKey: user.emailKey, user, passwordHash, password };
    await call.limits.admitNetwork(call.client);
    if (await checkPassword(check, call)) return { ...pending };
    throw new Problem(WrongPassword, 'The password is not the one of the account.');
  }
  const { caller } = call;
  if (!pending && caller.kind === 'person' && caller.userId === user._id) return {};
  throw invalidField(
    'newPassword',
    'required',
    "is required without password and without the account's own access token",
  );
}

/**
 * Refuses every proof but the password. An account with a verified address has an owner who knows the password or
 * takes a mail for a new one at that address: somebody else with a session and a mailbox is not the owner.
 */
function assertPasswordAlone({ password, newPassword }: Omit<Verification, 'token'>): void {
  const hint = 'another address of the account is verified: give the present password alone';
  if (newPassword !== undefined)
    throw invalidField('newPassword', 'not_allowed', `is refused: ${hint}`);
  if (password === undefined) throw invalidField('password', 'required', `is required: ${hint}`);
}

/**
 * Marks the user verified, unless the address, the password or the verification has changed since the read. The same
 * update of a takeover ends every session.
 */
async function markVerified(
  { user }: Claim,
  change: Change,
  isTakeover: boolean,
  call: CallContext,
): Promise<boolean> {
  const { emailKey, passwordHash, verifiedEmail } = user;
  const decide = async (current: StoredUser): Promise<Update<UserDocument> | null> => {
    const isAsRead = current.emailKey === emailKey && current.passwordHash === passwordHash;
    const isSame = isAsRead && current.verifiedEmail?.emailKey === verifiedEmail?.emailKey;
    if (!isSame || current.emailVerified || current.deletion) return null;
    const epochs = isTakeover ? epochsOfTakeover(current) : {};
    const verification = await verificationOf(current);
    return {
      ...verification,
      set: { ...change, ...epochs, ...verification.set },
      changed: [...verification.changed, ...namesOf(change)],
    };
  };
  return (await changeUser(user, decide, call.changeAs(actorOfUser(user)))) !== null;
}

/**
 * The change that verifies a user's address, and what follows it. The verified address before it no longer counts, and
 * neither do the tokens for a new password that were mailed there.
 */
export async function verificationOf(user: StoredUser) {
  const joins = await autoJoinMessages(user);
  const { email, emailKey, changedEmails = [] } = user;
  const present = { email, emailKey, emailVerified: true, verifiedEmail: null, changedEmails };
  const { set, unset } = addressUpdate(present);
  return {
    set: { ...set, ...(user.verifiedEmail ? { resetEpoch: resetEpochOf(user) + 1 } : {}) },
    unset: [...unset, 'unverifiedUntil', 'closedAt'] as const,
    changed: ['emailVerified'],
    messages: [eventMessage(userVerified, { userId: user._id }), ...joins],
  };
}

/** The names of the changed fields in the audit log. */
const namesOf = ({ passwordHash, firstName, lastName }: Change): string[] => [
  ...(passwordHash === undefined ? [] : ['password']),
  ...(firstName === undefined ? [] : ['firstName']),
  ...(lastName === undefined ? [] : ['lastName']),
];

/** Revokes the former user's sessions, and the API keys that the former user made before the sessions ended. */
export async function endFormerUse(user: UserDocument, call: CallContext): Promise<void> {
  const { _id: userId } = user;
  await revokeSessions(userId);
  await call.emit(sessionRevoked, { userId });
  await revokeKeysMadeBy(user, call);
}
