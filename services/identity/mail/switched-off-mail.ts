import type { VerifiedEmail } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import { verifiedEmailOf } from '../users/addresses.ts';
import { findUsers } from '../users/users.ts';
import type { Mail, MailOutbox } from './mail-outbox.ts';
import { storeMailInSlot } from './mail-slot.ts';

type Notice = Params<'identity.subscriptionSwitchedOff'>['entries'][number];
type Owner = { _id: number } & VerifiedEmail;

/**
 * Mails an hour to an address about workspaces that other people pay for; further ones are not stored. Anybody can make
 * a person an OWNER of such workspaces, so mails about the person's own workspaces do not count.
 */
const MAILS_ELSEWHERE = 5;

/**
 * Mails the OWNERs of workspaces that subscriptions to events were switched off. OWNERs without a verified address get no
 * mail. An OWNER gets one mail an hour for each workspace: the list of subscriptions shows those that followed.
 */
export async function mailSwitchedOff(
  notices: readonly Notice[],
  mails: MailOutbox,
): Promise<void> {
  for (const notice of notices) {
    for (const owner of await findUsers(notice.ownerIds)) {
      const verified = verifiedEmailOf(owner);
      if (verified) await mailOwner({ _id: owner._id, ...verified }, notice, mails);
    }
  }
}

async function mailOwner(
  { _id, email, emailKey }: Owner,
  notice: Notice,
  mails: MailOutbox,
): Promise<void> {
  const mail = { key: `switched-off:${notice.id}:${_id}`, ...mailOf(email, notice) };
  const isOwnWorkspace = notice.payerId === _id;
  await storeMailInSlot({
    kind: 'switched-off',
    emailKey: `${emailKey}\n${notice.workspaceId}`,
    store: () => (isOwnWorkspace ? mails.store(mail) : storeElsewhere(emailKey, mail, mails)),
  });
}

/** Stores a mail about a workspace of somebody else; false when the mails of the hour are used up. */
async function storeElsewhere(emailKey: string, mail: Mail, mails: MailOutbox): Promise<boolean> {
  for (let slot = 1; slot <= MAILS_ELSEWHERE; slot++) {
    const slotted = {
      kind: 'switched-off-elsewhere',
      emailKey: `${emailKey}\n${slot}`,
      store: () => mails.store(mail),
    } as const;
    if (await storeMailInSlot(slotted)) return true;
  }
  return false;
}

/** The mail has ids instead of names and addresses, because a stranger can write anything into those. */
const mailOf = (to: string, { workspaceId, subscriptionId, reason }: Notice) => ({
  to,
  subject: 'A subscription to events was switched off',
  text: [
    'Hello,',
    `event subscription ${subscriptionId} of workspace ${workspaceId} was switched off. ${reason}`,
    `Events are not sent any more, and none are kept for it. GET /workspaces/${workspaceId}/event-subscriptions lists the subscriptions that were switched off; others may have followed. PUT /event-subscriptions/${subscriptionId} {"enabled": true} switches it on again, and POST /event-subscriptions/${subscriptionId}/deliveries/replay then sends what has failed.`,
  ].join('\n\n'),
});
