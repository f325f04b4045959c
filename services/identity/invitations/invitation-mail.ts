import { emailKey } from '../../../contract/fields.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import { tokenParagraph } from '../mail/link.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { storeMailInSlot } from '../mail/mail-slot.ts';
import { verifiedEmailOf } from '../users/addresses.ts';
import { findUser } from '../users/users.ts';
import { invitationToken } from './invitation-token.ts';

type Entry = Params<'identity.mailInvitation'>['entries'][number];

/** The slots of an address for mails of invitations, each for an hour. Further mails are not stored. */
const SLOTS = ['invitation', 'second-invitation', 'third-invitation'] as const;

/** Mails tokens of invitations. An entry that is delivered again within the hour is mailed once. */
export async function mailInvitations(entries: readonly Entry[], mails: MailOutbox): Promise<void> {
  for (const entry of entries) {
    const store = () => mailInvitation(entry, mails);
    await storeMailInSlot({ kind: 'invitation-entry', emailKey: entry.id, store });
  }
}

async function mailInvitation(entry: Entry, mails: MailOutbox): Promise<boolean> {
  const mail = await mailOf(entry);
  for (const kind of SLOTS) {
    const slot = { kind, emailKey: emailKey(entry.email), store: () => mails.store(mail) };
    if (await storeMailInSlot(slot)) return true;
  }
  return false;
}

/** The mail has ids instead of names, because a stranger can write anything into a name. */
async function mailOf({
  invitationId,
  tokenVersion,
  workspaceId,
  email,
  inviterId,
  expiresAt,
}: Entry) {
  const addressHash = hashOf(emailKey(email));
  const token = invitationToken.mint([invitationId, tokenVersion, addressHash]);
  const inviter = inviterId === null ? null : await findUser(inviterId);
  const by = (inviter && verifiedEmailOf(inviter)?.email) ?? 'somebody';
  return {
    to: email,
    subject: 'An invitation to a workspace',
    text: [
      'Hello,',
      `${by} invites you to the workspace ${workspaceId}. Sign in, or register, and join by this link or token, until ${expiresAt}:`,
      tokenParagraph('invitation', token),
      'Whoever has the link or the token can join with it once: give it to nobody. If you do not want to join, do nothing.',
    ].join('\n\n'),
    token,
    giveUpAt: new Date(expiresAt),
  };
}
