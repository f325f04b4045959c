import { emailKey } from '../../../contract/fields.ts';
import { ResetTokenModel } from '../../../models/reset-token.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { logger } from '../../../support/logging.ts';
import type { CallContext } from '../call-context.ts';
import { mailVerification } from '../email-verification/verification-mail.ts';
import { tokenParagraph } from '../mail/link.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { storeTokenMail } from '../mail/token-mail.ts';
import { newSecret } from '../secret.ts';
import { resetEpochOf } from '../sessions/session.ts';
import { verifiedEmailOf } from '../users/addresses.ts';
import { findByEmail } from '../users/users.ts';

/** Milliseconds for which a mailed token sets a new password; beyond them the token is refused. */
const TOKEN_MS = 3600 * 1000;

/**
 * Mails the owner of the address a token for a new password. The caller is answered before the address is
 * looked up, so that neither the answer nor its time reveals an account.
 */
export async function forgotPassword(
  email: string,
  { client, limits, mails }: CallContext,
): Promise<void> {
  await limits.admitForgot(emailKey(email), client);
  mailNewPassword(email, mails).catch((err: Error) => {
    logger.error({ err }, 'A mail for a new password failed; asking again tries again');
  });
}

/** A verified address gets a token for a reset; an unverified one gets the token that verifies it. */
async function mailNewPassword(email: string, mails: MailOutbox): Promise<void> {
  const user = await findByEmail(email);
  if (user?.passwordHash == null) return;
  const isVerified = verifiedEmailOf(user)?.emailKey === emailKey(email);
  await (isVerified ? mailReset(user, mails) : mailVerification(user, mails));
}

/** Mails the verified address of a user a token for a new password. Returns false when no mail was stored: there was one within the hour, or there is no mail server. */
export async function mailReset(user: UserDocument, mails: MailOutbox): Promise<boolean> {
  const { email, emailKey } = verifiedEmailOf(user) ?? user;
  const token = newSecret();
  const _id = hashOf(token);
  const expiresAt = new Date(Date.now() + TOKEN_MS);
  const tokenMail = {
    kind: 'reset',
    emailKey,
    token: {
      store: () => ResetTokenModel.create({ _id, ...tokenOf(user), emailKey, expiresAt }),
      drop: () => ResetTokenModel.deleteOne({ _id }),
    },
    mail: { ...resetMail(email, token), giveUpAt: expiresAt },
  } as const;
  return storeTokenMail(tokenMail, mails);
}

const tokenOf = (user: UserDocument) => ({
  userId: user._id,
  resetEpoch: resetEpochOf(user),
  createdAt: new Date(),
});

const resetMail = (to: string, token: string) => ({
  to,
  token,
  subject: 'Set a new password',
  text: [
    'Hello,',
    'somebody asked for a new password of the account with this e-mail address. Set one by this link or token, within an hour:',
    tokenParagraph('reset', token),
    'That signs everybody out of the account. If you did not ask, do nothing: the password stays as it is.',
  ].join('\n\n'),
});
