import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import {
  type ChangedEmail,
  UNIQUE_EMAILS,
  type UserDocument,
  UserModel,
  type VerifiedEmail,
} from '../../../models/user.model.ts';
import { type StoredUser, users } from './users.store.ts';

/** Milliseconds for which an account's address may be unverified. Beyond them `expired-accounts.ts` looks at the account. */
const UNVERIFIED_MS = 30 * 24 * 3600 * 1000;

export const unverifiedUntil = (now = new Date()): Date => new Date(now.getTime() + UNVERIFIED_MS);

type Addressed = Pick<UserDocument, 'email' | 'emailKey' | 'emailVerified' | 'verifiedEmail'>;

/** The verified address of a user: the present one, or the one before an unverified change. Null without any. */
export function verifiedEmailOf(user: Addressed): VerifiedEmail | null {
  const { email, emailKey, emailVerified, verifiedEmail = null } = user;
  return emailVerified ? { email, emailKey } : verifiedEmail;
}

interface Addresses {
  email: string;
  emailKey: string;
  emailVerified: boolean;
  verifiedEmail: VerifiedEmail | null;
  changedEmails: readonly ChangedEmail[];
}

/** The update that gives a user these addresses. Changed addresses whose links have expired become free. */
export function addressUpdate({ verifiedEmail, changedEmails: changed, ...present }: Addresses) {
  const now = new Date();
  const changedEmails = changed.filter(({ until }) => until > now);
  const held = [...changedEmails, ...(verifiedEmail ? [verifiedEmail] : [])];
  const emailKeys = [...new Set([present.emailKey, ...held.map(({ emailKey }) => emailKey)])];
  return {
    set: { ...present, changedEmails, emailKeys, ...(verifiedEmail ? { verifiedEmail } : {}) },
    unset: verifiedEmail ? [] : (['verifiedEmail'] as const),
  };
}

/** The user who signs in with the address: the user's present address, or the verified one before a change. */
export async function findByKey(emailKey: string): Promise<StoredUser | null> {
  const user = await findHolder(emailKey);
  const isOf = user?.emailKey === emailKey || user?.verifiedEmail?.emailKey === emailKey;
  return isOf ? user : null;
}

/** The user who has the address, or whose mailed link may restore it. */
const findHolder = (emailKey: string): Promise<StoredUser | null> =>
  UserModel.findOne({ emailKeys: emailKey }, users.projection).lean<StoredUser>().exec();

/** Whether the address is one that its account has changed and may restore by a mailed link. */
export async function isRestorable(emailKey: string): Promise<boolean> {
  const now = new Date();
  const { changedEmails = [] } = (await findHolder(emailKey)) ?? {};
  return changedEmails.some((changed) => changed.emailKey === emailKey && changed.until > now);
}

/** Whether a write failed because the address is another user's, or may become it again by a mailed link. */
export const isAddressTaken = (error: unknown): boolean =>
  UNIQUE_EMAILS.some((index) => isDuplicateKey(error, index));

/** Does a write that takes an address. The write is repeated once where the address was held by an expired link. */
export async function takeAddress<T>(emailKey: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isAddressTaken(error) || !(await releaseExpired(emailKey))) throw error;
    return write();
  }
}

const RELEASE = systemChange('identity', 'identity.releaseAddress', {
  none: 'the change of the address was recorded',
});

async function releaseExpired(emailKey: string): Promise<boolean> {
  const holder = await findHolder(emailKey);
  if (!holder) return false;
  const { set } = addressUpdate({
    ...holder,
    verifiedEmail: holder.verifiedEmail ?? null,
    changedEmails: holder.changedEmails ?? [],
  });
  if (set.emailKeys.includes(emailKey)) return false;
  const { changedEmails, emailKeys } = set;
  return (await users.tryChange(holder, { set: { changedEmails, emailKeys } }, RELEASE)) !== null;
}
