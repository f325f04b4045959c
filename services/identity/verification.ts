import { invalidField } from '../../mixins/problem.ts';
import {
  type EmailTokenDocument,
  EmailTokenModel,
  type PendingRegistration,
} from '../../models/email-token.model.ts';
import { type UserDocument, UserModel } from '../../models/user.model.ts';
import type { IdentityEvents } from './events.ts';
import { sendMail } from './mail.ts';
import { hashOf, newSecret } from './secret.ts';

const TOKEN_MS = 24 * 3600 * 1000;

/** Asks somebody who has registered to prove their address. */
export async function mailVerification(user: UserDocument): Promise<void> {
  const token = newSecret();
  const mailed = await sendMail({
    to: user.email,
    token,
    subject: 'Verify your e-mail address',
    text: [
      'Hello,',
      'an account was made with this e-mail address. Verify the address with this token, within 24 hours:',
      token,
      'If you did not make the account, do not use the token.',
    ].join('\n\n'),
  });
  if (mailed) await keepToken(token, user, null);
}

/** Mails somebody who signs in, where no mail went out when they registered, or what it asked for has expired. */
export async function assureVerificationMailed(user: UserDocument): Promise<void> {
  if (user.emailVerified) return;
  const underWay = await EmailTokenModel.exists({
    userId: user._id,
    emailKey: user.emailKey,
    pending: null,
    expiresAt: { $gt: new Date() },
  });
  if (!underWay) await mailVerification(user);
}

/**
 * Asks the owner of a directory entry's address whether a registration was theirs. Each attempt has a
 * token of its own, and its password goes with that token: a later attempt by somebody else changes
 * nothing about what the first mail verifies. The mail says when, to tell them apart; it repeats no
 * name that was given, for a stranger could write anything there.
 */
export async function mailConfirmation(
  entry: UserDocument,
  pending: PendingRegistration,
): Promise<void> {
  const token = newSecret();
  const mailed = await sendMail({
    to: entry.email,
    token,
    subject: 'Confirm your registration',
    text: [
      'Hello,',
      `somebody registered with this e-mail address at ${new Date().toISOString()}.`,
      'If it was you, confirm with this token, within 24 hours; the password you chose then holds:',
      token,
      'If it was not you, do not use the token: the account would be theirs to sign in to.',
    ].join('\n\n'),
  });
  if (mailed) await keepToken(token, entry, pending);
}

/** Once its mail is out: a token that is kept says that somebody was asked. */
async function keepToken(
  token: string,
  user: UserDocument,
  pending: PendingRegistration | null,
): Promise<void> {
  const now = new Date();
  await EmailTokenModel.create({
    _id: hashOf(token),
    userId: user._id,
    emailKey: user.emailKey,
    pending,
    createdAt: now,
    expiresAt: new Date(now.getTime() + TOKEN_MS),
  });
}

/**
 * Takes a mailed token. The user is changed before the token goes, so that a crash in between loses
 * nothing; the user's own state is what makes a token count once.
 */
export async function verifyEmail(token: string, events: IdentityEvents): Promise<void> {
  const found = await EmailTokenModel.findOne({
    _id: hashOf(token),
    expiresAt: { $gt: new Date() },
  })
    .lean()
    .exec();
  if (!found || !(await markVerified(found))) {
    throw invalidField('token', 'invalid_token', 'is unknown, used or expired');
  }
  await EmailTokenModel.deleteMany({ userId: found.userId });
  await events.userVerified(found.userId);
}

/** Whether the token still had something to do: the address is the same and nobody was before it. */
async function markVerified({ userId, emailKey, pending }: EmailTokenDocument): Promise<boolean> {
  const undone = pending ? { passwordHash: null } : { emailVerified: false };
  const { matchedCount } = await UserModel.updateOne(
    { _id: userId, emailKey, ...undone },
    { ...pending, emailVerified: true, updatedAt: new Date() },
  );
  return matchedCount > 0;
}
