import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import { type KeyNoticeDocument, KeyNoticeModel } from '../../../models/key-notice.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { sendMail } from '../mail/mail.ts';
import { sendInSlot } from '../mail/mail-slot.ts';
import { findUser, findUsers } from '../users/users.ts';

export interface FormerMember {
  workspaceId: number;
  userId: number;
  ownerIds: number[];
}

/** Keys that a mail lists of one former member; beyond it the mail says that there are more. */
const MAX_KEYS = 20;
/** Former members whom one mail tells about; the others wait for the next mail. */
const MAX_NOTICES = 100;
/** Notices looked at in one sweep; the others wait for the next. */
const SWEEP_SIZE = 100;
/** Milliseconds until a notice is tried again that could not be mailed: a mail went out within the hour. */
const RETRY_MS = 10 * 60_000;

/**
 * Mails the workspace's OWNERs which keys somebody has made who is no member any more: those keys still
 * work. An OWNER whose address is not verified gets no mail. Who was mailed within the hour is told
 * later, with all that has come together until then.
 */
export async function mailKeysOfFormerMember(former: FormerMember): Promise<void> {
  if ((await findLiveKeys(former, 1)).length === 0) return;
  const owners = (await findUsers(former.ownerIds)).filter(({ emailVerified }) => emailVerified);
  for (const { _id } of owners) await keepNotice(_id, former);
  for (const owner of owners) await mailNotices(owner);
}

/** Mails what is owed and could not be mailed at once. */
export async function sweepKeyNotices(): Promise<void> {
  const due = await KeyNoticeModel.find({ dueAt: { $lte: new Date() } }, { ownerId: 1 })
    .sort({ dueAt: 1 })
    .limit(SWEEP_SIZE)
    .lean()
    .exec();
  for (const ownerId of new Set(due.map((notice) => notice.ownerId))) {
    const owner = await findUser(ownerId);
    if (owner?.emailVerified) await mailNotices(owner);
    else await KeyNoticeModel.deleteMany({ ownerId });
  }
}

async function keepNotice(ownerId: number, { workspaceId, userId }: FormerMember): Promise<void> {
  const now = new Date();
  await KeyNoticeModel.updateOne(
    { _id: `${ownerId}:${workspaceId}:${userId}` },
    { $set: { dueAt: now }, $setOnInsert: { ownerId, workspaceId, userId, createdAt: now } },
    { upsert: true },
  );
}

/** One mail for all that the OWNER is owed, at most one an hour. A notice is forgotten once it is mailed. */
async function mailNotices({ _id: ownerId, email, emailKey }: UserDocument): Promise<void> {
  await KeyNoticeModel.updateMany({ ownerId }, { dueAt: new Date(Date.now() + RETRY_MS) });
  await sendInSlot('keys-of-former-member', emailKey, async () => {
    const notices = await findNotices(ownerId);
    const parts = (await Promise.all(notices.map(tellKeys))).filter((part) => part !== null);
    const sent = parts.length > 0 && (await sendMail(mailOf(email, parts)));
    if (sent || parts.length === 0) await forget(notices);
    return sent;
  });
}

const findNotices = (ownerId: number): Promise<KeyNoticeDocument[]> =>
  KeyNoticeModel.find({ ownerId }).sort({ createdAt: 1 }).limit(MAX_NOTICES).lean().exec();

async function forget(notices: readonly KeyNoticeDocument[]): Promise<void> {
  await KeyNoticeModel.deleteMany({ _id: { $in: notices.map(({ _id }) => _id) } });
}

function findLiveKeys(
  { workspaceId, userId }: Pick<FormerMember, 'workspaceId' | 'userId'>,
  limit: number,
): Promise<ApiKeyDocument[]> {
  return ApiKeyModel.find({
    workspaceId,
    'createdBy.id': userId,
    'createdBy.type': 'person',
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }],
  })
    .sort({ _id: 1 })
    .limit(limit)
    .lean()
    .exec();
}

/** The lines about one former member; null when no key of theirs works any more. */
async function tellKeys(notice: KeyNoticeDocument): Promise<string | null> {
  const keys = await findLiveKeys(notice, MAX_KEYS + 1);
  if (keys.length === 0) return null;
  const lines = keys
    .slice(0, MAX_KEYS)
    .map(({ _id, prefix, lastFour }) => `- key ${_id}: ${prefix}…${lastFour}`);
  const more = keys.length > MAX_KEYS ? ['- and more'] : [];
  const title = `Workspace ${notice.workspaceId}, user ${notice.userId}:`;
  return [title, ...lines, ...more].join('\n');
}

/** The mail names everything by its id: a stranger could write anything into a name. */
const mailOf = (to: string, parts: readonly string[]) => ({
  to,
  subject: 'API keys of former members',
  text: [
    'Hello,',
    'these API keys still work, and whoever made them is no member of their workspace any more:',
    ...parts,
    'Revoke those that nobody needs: whoever made a key may have kept it.',
  ].join('\n\n'),
});
