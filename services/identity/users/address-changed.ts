import { Problem, Unavailable } from '../../../contract/problem.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { ResetTokenModel } from '../../../models/reset-token.model.ts';
import type { Params } from '../../contracts.ts';
import {
  assureVerificationMailed,
  isVerificationMailed,
} from '../email-verification/verification-mail.ts';
import { tokenParagraph } from '../mail/link.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { freeSlot, isSlotClaimed } from '../mail/mail-slot.ts';
import { mailReset } from '../passwords/forgot-password.ts';
import { verifiedEmailOf } from './addresses.ts';
import { undoToken } from './undo-address-change.ts';
import type { StoredUser } from './users.store.ts';
import { findUser } from './users.ts';

type Entry = Params<'identity.addressChanged'>['entries'][number];
type Undo = NonNullable<Entry['undo']>;

/** Mails what follows the changes of addresses, and deletes the tokens of former addresses. Entries may come again. */
export async function handleAddressChanges(
  entries: readonly Entry[],
  mails: MailOutbox,
): Promise<void> {
  for (const entry of entries) await handleAddressChange(entry, mails);
}

async function handleAddressChange(entry: Entry, mails: MailOutbox): Promise<void> {
  if (entry.undo) await mails.store(announcementOf(entry, entry.undo));
  const user = await findUser(entry.userId);
  if (!user) return;
  const { _id: userId, emailKey } = user;
  const verifiedKey = verifiedEmailOf(user)?.emailKey ?? emailKey;
  await Promise.all([
    EmailTokenModel.deleteMany({ userId, emailKey: { $ne: emailKey } }),
    ResetTokenModel.deleteMany({ userId, emailKey: { $ne: verifiedKey } }),
  ]);
  if (entry.needsPassword) {
    await freeSlot('reset', verifiedKey); // the token of an earlier mail has ended with the password
    await mailReset(user, mails);
  }
  if (user.passwordHash !== null) await assureMailed(user, mails);
}

/** Mails the new address its token. A claim of the mail's slot may be of a killed process, so the entry comes again. */
async function assureMailed(user: StoredUser, mails: MailOutbox): Promise<void> {
  await assureVerificationMailed(user, mails);
  if (user.emailVerified || (await isVerificationMailed(user))) return;
  if (await isSlotClaimed('confirmation', user.emailKey)) {
    throw new Problem(Unavailable, 'Another process is storing the mail.');
  }
}

/** The mail to the former address. The mail does not name the new address, which is no business of a stolen mailbox. */
function announcementOf({ id, at, userId }: Entry, { email, since, until }: Undo) {
  const token = undoToken.mint([userId, since, until]);
  return {
    key: `address-changed:${id}`,
    to: email,
    token,
    subject: 'Your e-mail address was changed',
    text: [
      'Hello,',
      `the account with this e-mail address was given another address at ${at}. Until that one is verified with the password of the account, this one still signs you in and takes mails for a new password.`,
      `If you did not do that, somebody else uses your account. Undo it by this link or token, until ${new Date(until).toISOString()}:`,
      tokenParagraph('undo', token),
      'That signs everybody out of the account and ends its password; another mail lets you set a new one. Then look through the API keys of your workspaces as well. If you changed the address yourself, do nothing.',
    ].join('\n\n'),
  };
}
