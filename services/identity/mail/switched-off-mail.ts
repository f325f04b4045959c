import type { Params } from '../../contracts.ts';
import { findUsers } from '../users/users.ts';
import type { MailOutbox } from './mail-outbox.ts';
import { storeMailInSlot } from './mail-slot.ts';

type Notice = Params<'identity.subscriptionSwitchedOff'>['entries'][number];

/**
 * Mails the OWNERs of workspaces that subscriptions to events were switched off. OWNERs without a verified address get no
 * mail. An OWNER gets one mail an hour: the list of subscriptions shows those that followed.
 */
export async function mailSwitchedOff(
  notices: readonly Notice[],
  mails: MailOutbox,
): Promise<void> {
  for (const notice of notices) {
    const owners = (await findUsers(notice.ownerIds)).filter(({ emailVerified }) => emailVerified);
    for (const { _id, email, emailKey } of owners) {
      const mail = { key: `switched-off:${notice.id}:${_id}`, ...mailOf(email, notice) };
      await storeMailInSlot({ kind: 'switched-off', emailKey, store: () => mails.store(mail) });
    }
  }
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
