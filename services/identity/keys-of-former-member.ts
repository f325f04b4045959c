import { type ApiKeyDocument, ApiKeyModel } from '../../models/api-key.model.ts';
import { sendMail } from './mail.ts';
import { sendInSlot } from './mail-slot.ts';
import { findUser, findUsers, fullName } from './users.ts';

export interface FormerMember {
  departureId: string;
  workspaceId: number;
  workspaceName: string;
  userId: number;
  ownerIds: number[];
}

/** Keys that a mail names; it says how many more there are. */
const MAX_KEYS = 50;

/**
 * Mails the workspace's OWNERs which keys somebody has made who is no member any more: those keys still
 * work. An OWNER whose address is not verified gets no mail. Repeatable: within an hour each gets one.
 */
export async function mailKeysOfFormerMember(former: FormerMember): Promise<void> {
  const { departureId, userId, workspaceId, workspaceName, ownerIds } = former;
  const keys = await findLiveKeys(workspaceId, userId);
  if (keys.length === 0) return;
  const [person, owners] = await Promise.all([findUser(userId), findUsers(ownerIds)]);
  const text = textOf(keys, workspaceName, person ? fullName(person) : `User ${userId}`);
  for (const { email, emailKey, emailVerified } of owners) {
    if (!emailVerified) continue;
    await sendInSlot('keys-of-former-member', `${departureId}:${emailKey}`, () =>
      sendMail({ to: email, subject: 'API keys of a former member', text }),
    );
  }
}

function findLiveKeys(workspaceId: number, userId: number): Promise<ApiKeyDocument[]> {
  return ApiKeyModel.find({
    workspaceId,
    'createdBy.id': userId,
    'createdBy.type': 'person',
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }],
  })
    .sort({ _id: 1 })
    .lean()
    .exec();
}

function textOf(keys: readonly ApiKeyDocument[], workspace: string, person: string): string {
  const lines = keys
    .slice(0, MAX_KEYS)
    .map(({ name, prefix, lastFour }) => `- ${name}: ${prefix}…${lastFour}`);
  const more = keys.length > MAX_KEYS ? [`- and ${keys.length - MAX_KEYS} more`] : [];
  return [
    'Hello,',
    `${person} is no member of the workspace ${workspace} any more. These API keys that they made still work:`,
    [...lines, ...more].join('\n'),
    'Revoke those that nobody needs: whoever made a key may have kept it.',
  ].join('\n\n');
}
