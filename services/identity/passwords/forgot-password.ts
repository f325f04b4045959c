import { emailKey } from '../../../contract/fields.ts';
import { ResetTokenModel } from '../../../models/reset-token.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { logger } from '../../../support/logging.ts';
import type { CallContext } from '../call-context.ts';
import { mailVerification } from '../email-verification/verification-mail.ts';
import { sendInSlot } from '../mail/mail-slot.ts';
import { sendWithToken } from '../mail/token-mail.ts';
import { hashOf, newSecret } from '../secret.ts';
import { resetEpochOf } from '../sessions/session.ts';
import { findByEmail } from '../users/users.ts';

/** Milliseconds for which a mailed token sets a new password. */
const TOKEN_MS = 3600 * 1000;

/**
 * Mails whoever owns the address what it takes to set a new password. The caller is answered before
 * anything is looked up, so that neither answer nor time says whether there is an account.
 */
export function forgotPassword(email: string, { client, limits }: CallContext): void {
  limits.admitForgot(emailKey(email), client);
  mailNewPassword(email).catch((err: Error) => {
    logger.error({ err }, 'A mail for a new password failed; asking again tries again');
  });
}

/** An address that proves nothing yet is asked for its proof, which takes a new password as well. */
async function mailNewPassword(email: string): Promise<void> {
  const user = await findByEmail(email);
  if (user?.passwordHash == null) return;
  await (user.emailVerified ? mailReset(user) : mailVerification(user));
}

async function mailReset(user: UserDocument): Promise<void> {
  const token = newSecret();
  const record = {
    keep: () => keepToken(token, user),
    drop: () => ResetTokenModel.deleteOne({ _id: hashOf(token) }),
  };
  await sendInSlot('reset', user.emailKey, () =>
    sendWithToken(record, {
      to: user.email,
      token,
      subject: 'Set a new password',
      text: [
        'Hello,',
        'somebody asked for a new password of the account with this e-mail address. Set one with this token, within an hour:',
        token,
        'That signs everybody out of the account. If you did not ask, do nothing: the password stays as it is.',
      ].join('\n\n'),
    }),
  );
}

async function keepToken(token: string, user: UserDocument): Promise<void> {
  const now = new Date();
  await ResetTokenModel.create({
    _id: hashOf(token),
    userId: user._id,
    emailKey: user.emailKey,
    resetEpoch: resetEpochOf(user),
    createdAt: now,
    expiresAt: new Date(now.getTime() + TOKEN_MS),
  });
}
