import {
  type EmailTokenDocument,
  EmailTokenModel,
  type PendingRegistration,
} from '../../../models/email-token.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { tokenParagraph } from '../mail/link.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { storeTokenMail } from '../mail/token-mail.ts';
import { newSecret } from '../secret.ts';

/** Milliseconds for which a mailed token verifies its address; beyond them the token is refused. */
const TOKEN_MS = 24 * 3600 * 1000;

interface VerificationMail {
  user: UserDocument;
  /** The registration that the token confirms; null for a token that verifies an account. */
  pending: PendingRegistration | null;
  subject: string;
  paragraphs(token: string): string[];
}

/** Mails the owner of an account's address a token that verifies the address. */
export async function mailVerification(user: UserDocument, mails: MailOutbox): Promise<void> {
  const paragraphs = (token: string) =>
    user.verifiedEmail
      ? changeParagraphs(token)
      : [
          'an account was made with this e-mail address, or changed to it. If you did that, verify the address by this link or token, within 24 hours, signed in or together with the password of the account:',
          tokenParagraph('verify', token),
          'If somebody else did it, use it together with a new password: the account is yours then, and they are signed out. If you want no account, do nothing.',
        ];
  await mailToken(
    { user, pending: null, subject: 'Verify your e-mail address', paragraphs },
    mails,
  );
}

/** The mail to the new address of an account that has another verified one: only the password verifies the new one. */
const changeParagraphs = (token: string): string[] => [
  'an account was changed to this e-mail address. If you did that, verify the address by this link or token, within 24 hours, together with the password of the account:',
  tokenParagraph('verify', token),
  'If somebody else did it, the address is not theirs without the password. Free it by this link or token:',
  tokenParagraph('free', token),
];

/** Mails an unverified user a token at a sign-in, unless an earlier token was mailed and has not expired. */
export async function assureVerificationMailed(
  user: UserDocument,
  mails: MailOutbox,
): Promise<void> {
  if (user.emailVerified || (await isVerificationMailed(user))) return;
  await mailVerification(user, mails);
}

/** Whether a token that verifies the user's present address was mailed and has not expired. */
export async function isVerificationMailed(user: UserDocument): Promise<boolean> {
  const token = await EmailTokenModel.exists({
    userId: user._id,
    emailKey: user.emailKey,
    pending: null,
    mailedAt: { $ne: null },
    expiresAt: { $gt: new Date() },
  });
  return token !== null;
}

/** Registrations of a directory entry's address that are mailed in an hour. Further ones change nothing. */
const MAX_REGISTRATIONS = 5;

/**
 * Mails the owner of a directory entry's address a token that confirms the registration stored with the token. The
 * registration replaces those before it, so that a stranger who came first does not hold the owner up. The mail contains
 * no name from the registration, because a stranger can write any text into a name.
 */
export async function mailConfirmation(
  entry: UserDocument,
  pending: PendingRegistration,
  mails: MailOutbox,
): Promise<void> {
  const paragraphs = (token: string) => [
    `somebody registered with this e-mail address at ${new Date().toISOString()}.`,
    'If it was you, confirm by this link or token, within 24 hours, together with the password that you chose then, or with a new one:',
    tokenParagraph('verify', token),
    'If it was not you and you want no account, do nothing.',
  ];
  const subject = 'Confirm your registration';
  const mail = { user: entry, pending, subject, paragraphs };
  for (let slot = 1; slot <= MAX_REGISTRATIONS; slot++) {
    if (await mailToken(mail, mails, `${entry.emailKey}\n${slot}`)) return;
  }
}

/** Stores a token and the mail that carries it, at most once an hour for a slot. Returns whether the mail was stored. */
async function mailToken(
  { user, pending, subject, paragraphs }: VerificationMail,
  mails: MailOutbox,
  slot = user.emailKey,
): Promise<boolean> {
  const token = newSecret();
  const _id = hashOf(token);
  const record = tokenOf(user, pending);
  const expiresAt = new Date(Date.now() + TOKEN_MS);
  const text = ['Hello,', ...paragraphs(token)].join('\n\n');
  const tokenMail = {
    kind: 'confirmation',
    emailKey: slot,
    token: {
      store: () => EmailTokenModel.create({ _id, ...record, expiresAt }),
      drop: () => EmailTokenModel.deleteOne({ _id }),
      async markMailed() {
        await EmailTokenModel.updateOne({ _id }, { mailedAt: new Date() });
        if (pending) await dropEarlier(record);
      },
    },
    mail: { to: user.email, token, subject, text, giveUpAt: expiresAt },
  } as const;
  return storeTokenMail(tokenMail, mails);
}

/** Ends the registrations before this one. Of registrations in one millisecond each stays. */
const dropEarlier = ({ userId, createdAt }: Pick<EmailTokenDocument, 'userId' | 'createdAt'>) =>
  EmailTokenModel.deleteMany({ userId, pending: { $ne: null }, createdAt: { $lt: createdAt } });

const tokenOf = (user: UserDocument, pending: PendingRegistration | null) => ({
  userId: user._id,
  emailKey: user.emailKey,
  pending,
  mailedAt: null,
  createdAt: new Date(),
});
