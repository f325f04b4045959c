import type { AuditRule } from '../../../../contract/contract.ts';
import { DELETED_ACTOR_NAME, deletedUser } from '../../../../contract/deleted-user.ts';
import type { ChangeContext } from '../../../../mixins/changes/change-context.ts';
import type { Update } from '../../../../mixins/changes/update.ts';
import { type UserDeletion, type UserDocument, UserModel } from '../../../../models/user.model.ts';
import { erasureCalls } from '../../../erasure-calls.ts';
import { changeUser, type StoredUser } from '../users.store.ts';

export const STEP: AuditRule = { none: 'the entry of the erasure says it' };

/** The request of a deletion, as the context of a write that the audit log does not record. */
export const stepOf = ({ actor, via, operation, requestId }: UserDeletion): ChangeContext => ({
  actor,
  via,
  operation,
  requestId,
  audit: STEP,
});

type ClosedUser = StoredUser & { deletion: UserDeletion };

/**
 * Replaces the person's data by those of a deleted user, and frees the address. The outbox of the write carries the
 * erasure to every service.
 */
export async function eraseUser(user: ClosedUser): Promise<void> {
  const context = { ...stepOf(user.deletion), audit: { resource: 'user' } };
  await changeUser(user, (current) => decideErasure(current, user.deletion), context);
}

/** The erasure of a user as stored now; null for a user whom another process has erased or opened again. */
async function decideErasure(
  current: StoredUser,
  deletion: UserDeletion,
): Promise<Update<UserDocument> | null> {
  if (!current.deletion || current.deletion.erasedAt) return null;
  const { _id: userId, emailKey, createdBy } = current;
  const { email, firstName, lastName } = deletedUser(userId);
  const isOwn = createdBy.type === 'person' && createdBy.id === userId;
  const params = { userId, addresses: [emailKey, ...(await findUnusedAddresses(current))] };
  return {
    set: {
      email,
      emailKey: removedKey(userId),
      emailVerified: false,
      firstName,
      lastName,
      passwordHash: null,
      knownNetworks: [],
      deletion: { ...deletion, erasedAt: new Date() },
      createdBy: isOwn ? { ...createdBy, name: DELETED_ACTOR_NAME } : createdBy,
    },
    unset: [
      'verifiedEmail',
      'changedEmails',
      'emailKeys',
      'unverifiedUntil',
      'carriedSession',
      'addressChanges',
      'formerEmailKeys',
    ],
    changed: [],
    messages: erasureCalls('erasePerson', params),
  };
}

/** The former addresses of a user that are not the address of another user now. */
async function findUnusedAddresses({
  _id: userId,
  formerEmailKeys = [],
}: StoredUser): Promise<string[]> {
  const holders = await UserModel.find(
    { emailKeys: { $in: formerEmailKeys } },
    { emailKeys: 1 },
  ).lean();
  const others = holders.filter(({ _id }) => _id !== userId);
  const used = new Set(others.flatMap(({ emailKeys = [] }) => emailKeys));
  return formerEmailKeys.filter((key) => !used.has(key));
}

/** The key of a user without an address. No address contains a blank. */
export const removedKey = (userId: number): string => `removed ${userId}`;
