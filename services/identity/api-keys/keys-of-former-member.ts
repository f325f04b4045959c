import { type ApiKeyDocument, ApiKeyModel } from '../../../models/api-key.model.ts';
import { type KeyNoticeDocument, KeyNoticeModel } from '../../../models/key-notice.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { storeMailInSlot } from '../mail/mail-slot.ts';
import { verifiedEmailOf } from '../users/addresses.ts';
import { findUser, findUsers } from '../users/users.ts';

type Departures = Params<'identity.memberLeft'>['entries'];
type FormerMember = Omit<Departures[number], 'id' | 'at'>;

/** Keys of one former member in a mail; beyond it the mail ends the list with "and more". */
const MAX_KEYS = 20;
/** Notices in one mail; further notices go into the next mail. */
const MAX_NOTICES = 100;
/** Notices of one sweep; further notices wait for the next sweep. */
const SWEEP_SIZE = 100;
/** Milliseconds until the next attempt to mail a notice, such as within the hour after the OWNER's last mail. */
const RETRY_MS = 10 * 60_000;

/** Handles the departures one after another. A repeated departure renews its notices. */
export async function mailKeysOfFormerMembers(
  departures: Departures,
  mails: MailOutbox,
): Promise<void> {
  for (const departure of departures) await mailKeysOfFormerMember(departure, mails);
}

/**
 * Mails the OWNERs of a workspace the keys of a former member, which still work. OWNERs without a verified
 * address get no mail. An OWNER gets one mail an hour; notices of that hour go into the next mail.
 */
export async function mailKeysOfFormerMember(
  former: FormerMember,
  mails: MailOutbox,
): Promise<void> {
  if ((await findLiveKeys(former, 1)).length === 0) return;
  const owners = (await findUsers(former.ownerIds)).filter(verifiedEmailOf);
  for (const { _id } of owners) await keepNotice(_id, former);
  for (const owner of owners) await mailNotices(owner, mails);
}

/** Mails the due notices. */
export async function sweepKeyNotices(mails: MailOutbox): Promise<void> {
  const due = await KeyNoticeModel.find({ dueAt: { $lte: new Date() } }, { ownerId: 1 })
    .sort({ dueAt: 1 })
    .limit(SWEEP_SIZE)
    .lean()
    .exec();
  for (const ownerId of new Set(due.map((notice) => notice.ownerId))) {
    const owner = await findUser(ownerId);
    if (owner && verifiedEmailOf(owner)) await mailNotices(owner, mails);
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

/** Stores one mail with the OWNER's notices, at most once an hour, and deletes the notices then. */
async function mailNotices(owner: UserDocument, mails: MailOutbox): Promise<void> {
  const { _id: ownerId } = owner;
  const { email, emailKey } = verifiedEmailOf(owner) ?? owner;
  await KeyNoticeModel.updateMany({ ownerId }, { dueAt: new Date(Date.now() + RETRY_MS) });
  const store = async (): Promise<boolean> => {
    const notices = await findNotices(ownerId);
    const parts = (await Promise.all(notices.map(describeKeys))).filter((part) => part !== null);
    const stored = parts.length > 0 && (await mails.store(mailOf(email, parts)));
    if (stored || parts.length === 0) await deleteNotices(notices);
    return stored;
  };
  await storeMailInSlot({ kind: 'keys-of-former-member', emailKey, store });
}

const findNotices = (ownerId: number): Promise<KeyNoticeDocument[]> =>
  KeyNoticeModel.find({ ownerId }).sort({ createdAt: 1 }).limit(MAX_NOTICES).lean().exec();

async function deleteNotices(notices: readonly KeyNoticeDocument[]): Promise<void> {
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

/** The lines about one former member; null when no key of the member works any more. */
async function describeKeys(notice: KeyNoticeDocument): Promise<string | null> {
  const keys = await findLiveKeys(notice, MAX_KEYS + 1);
  if (keys.length === 0) return null;
  const lines = keys
    .slice(0, MAX_KEYS)
    .map(({ _id, prefix, lastFour }) => `- key ${_id}: ${prefix}…${lastFour}`);
  const more = keys.length > MAX_KEYS ? ['- and more'] : [];
  const title = `Workspace ${notice.workspaceId}, user ${notice.userId}:`;
  return [title, ...lines, ...more].join('\n');
}

/** The mail has ids instead of names, because a stranger can write anything into a name. */
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
