import { EmailTokenModel, type PendingRegistration } from '../../../models/email-token.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { sendInSlot } from '../mail/mail-slot.ts';
import { sendWithToken } from '../mail/token-mail.ts';
import { hashOf, newSecret } from '../secret.ts';

const TOKEN_MS = 24 * 3600 * 1000;

/** Asks the owner of an account's address to prove that it is theirs. */
export async function mailVerification(user: UserDocument): Promise<void> {
  await mailToken(user, null, 'Verify your e-mail address', (token) => [
    'an account was made with this e-mail address. If you made it, verify the address with this token, within 24 hours, signed in or together with the password of the account:',
    token,
    'If somebody else made it, use the token together with a new password: the account is yours then, and they are signed out. If you want no account, do nothing.',
  ]);
}

/** Mails somebody who signs in, where no mail went out when they registered, or what it asked for has expired. */
export async function assureVerificationMailed(user: UserDocument): Promise<void> {
  if (user.emailVerified) return;
  const underWay = await EmailTokenModel.exists({
    userId: user._id,
    emailKey: user.emailKey,
    pending: null,
    mailedAt: { $ne: null },
    expiresAt: { $gt: new Date() },
  });
  if (!underWay) await mailVerification(user);
}

/**
 * Asks the owner of a directory entry's address whether a registration was theirs. The password that
 * was chosen goes with the token, so that a later attempt changes nothing about what this mail
 * verifies. The mail repeats no name that was given: a stranger could write anything there.
 */
export async function mailConfirmation(
  entry: UserDocument,
  pending: PendingRegistration,
): Promise<void> {
  await mailToken(entry, pending, 'Confirm your registration', (token) => [
    `somebody registered with this e-mail address at ${new Date().toISOString()}.`,
    'If it was you, confirm with this token, within 24 hours, together with the password that you chose then, or with a new one:',
    token,
    'If it was not you and you want no account, do nothing.',
  ]);
}

/**
 * Mails a token, at most one an hour to an address. It is kept before its mail goes out; `mailedAt` says
 * that somebody was asked.
 */
async function mailToken(
  user: UserDocument,
  pending: PendingRegistration | null,
  subject: string,
  paragraphs: (token: string) => string[],
): Promise<void> {
  const token = newSecret();
  const text = ['Hello,', ...paragraphs(token)].join('\n\n');
  const _id = hashOf(token);
  const record = {
    keep: () => keepToken(token, user, pending),
    drop: () => EmailTokenModel.deleteOne({ _id }),
  };
  const mail = { to: user.email, token, subject, text };
  const sent = await sendInSlot('confirmation', user.emailKey, () => sendWithToken(record, mail));
  if (sent) await EmailTokenModel.updateOne({ _id }, { mailedAt: new Date() });
}

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
    mailedAt: null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + TOKEN_MS),
  });
}
