import { Problem, Unavailable } from '../../../contract/problem.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { ResetTokenModel } from '../../../models/reset-token.model.ts';
import type { Params } from '../../contracts.ts';
import {
  assureVerificationMailed,
  isVerificationMailed,
} from '../email-verification/verification-mail.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { isSlotClaimed } from '../mail/mail-slot.ts';
import type { StoredUser } from './users.store.ts';
import { findUser } from './users.ts';

type Entry = Params<'identity.addressChanged'>['entries'][number];

/** Mails what follows the changes of addresses, and deletes the tokens of former addresses. Entries may come again. */
export async function handleAddressChanges(
  entries: readonly Entry[],
  mails: MailOutbox,
): Promise<void> {
  for (const entry of entries) await handleAddressChange(entry, mails);
}

async function handleAddressChange(entry: Entry, mails: MailOutbox): Promise<void> {
  if (entry.formerEmail !== null) await mails.store(announcementOf(entry, entry.formerEmail));
  const user = await findUser(entry.userId);
  if (!user) return;
  const former = { userId: user._id, emailKey: { $ne: user.emailKey } };
  await Promise.all([EmailTokenModel.deleteMany(former), ResetTokenModel.deleteMany(former)]);
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
const announcementOf = ({ id, at }: Entry, to: string) => ({
  key: `address-changed:${id}`,
  to,
  subject: 'Your e-mail address was changed',
  text: [
    'Hello,',
    `the account with this e-mail address was given another address at ${at}. Mails about the account no longer go here.`,
    'If you did not do that, somebody else uses your account: tell the people who run this service.',
  ].join('\n\n'),
});
