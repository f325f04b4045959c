import type { Actor, Caller } from '../../../contract/caller.ts';
import { emailKey } from '../../../contract/fields.ts';
import { NotFound, noUser, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import { EmailInUse } from '../identity.problems.ts';
import { findByKey, isAddressTaken, takeAddress, verifiedEmailOf } from './addresses.ts';
import { isOperator } from './operator.ts';
import { type StoredUser, users } from './users.store.ts';

/** A person's address and name, from a caller. */
type Person = Params<'identity.createUser'>;

export const showUser = ({ _id, firstName, lastName, email }: UserDocument) => ({
  id: _id,
  firstName,
  lastName,
  email,
});
/** The user as other people know the user: by the verified address, where there is one. */
export const showKnownUser = (user: UserDocument) => {
  const verified = verifiedEmailOf(user);
  return {
    ...showUser(user),
    email: verified?.email ?? user.email,
    emailVerified: verified !== null,
  };
};
/** The user as the caller. `countPending` counts the memberships that wait for the verification of an address. */
export async function showMe(
  user: UserDocument,
  countPending: (user: UserDocument) => Promise<number>,
) {
  const pendingMemberships = user.emailVerified ? 0 : await countPending(user);
  const { emailVerified } = user;
  return { ...showUser(user), emailVerified, operator: isOperator(user), pendingMemberships };
}

/** The user with the id. A deleted user is missing, although the document stays until the deletion has ended. */
export async function findUser(id: number): Promise<StoredUser | null> {
  const user = await users.find(id);
  return user?.deletion?.erasedAt ? null : user;
}

export const findByEmail = (email: string): Promise<StoredUser | null> =>
  findByKey(emailKey(email));

/** The users with these ids, without order; unknown ids are left out. */
export async function findUsers(ids: readonly number[]): Promise<StoredUser[]> {
  const found = await Promise.all([...new Set(ids)].map(findUser));
  return found.filter((user) => user !== null);
}

export async function getUser(id: number): Promise<StoredUser> {
  const user = await findUser(id);
  if (!user) throw noUser(id);
  return user;
}

/** The calling user. A caller of another kind gets 404. */
export async function getCallingUser(caller: Caller): Promise<StoredUser> {
  if (caller.kind === 'person') return getUser(caller.userId);
  throw new Problem(NotFound, 'The caller is not a user.');
}

/** The user as somebody who gives this address knows the user: an unverified address proves nothing. */
export async function findUserWithEmail(email: string) {
  const user = await findByEmail(email);
  if (user?.emailKey !== emailKey(email)) return user && showKnownUser(user);
  return { ...showUser(user), emailVerified: user.emailVerified };
}

/** Whether a person is an operator, and whether a user has the id. */
export async function findAccess(userId: number | null, subjectId: number) {
  const [user, subject] = await Promise.all([
    userId === null ? null : findUser(userId),
    findUser(subjectId),
  ]);
  return { operator: user !== null && isOperator(user), exists: subject !== null };
}

export async function isOwnAddress(userId: number, email: string): Promise<boolean> {
  const user = await findUser(userId);
  return [user?.emailKey, user?.verifiedEmail?.emailKey].includes(emailKey(email));
}

type NewAccount = Pick<UserDocument, 'passwordHash' | 'knownNetworks' | 'unverifiedUntil'> & {
  /** The user's id, for a change with the user as the actor. */
  _id?: number;
};

/** Inserts a user; null when the unique index has the address already. */
export async function insertUser(
  { email, firstName, lastName }: Person,
  account: NewAccount,
  change: ChangeContext,
): Promise<StoredUser | null> {
  const now = new Date();
  const key = emailKey(email);
  const user = {
    email,
    emailKey: key,
    emailKeys: [key],
    emailVerified: false,
    firstName,
    lastName,
    ...account,
    createdBy: change.actor,
    createdAt: now,
    updatedAt: now,
  };
  try {
    return await takeAddress(key, () => users.create(user, change));
  } catch (error) {
    if (isAddressTaken(error)) return null;
    throw error;
  }
}

/** Adds a directory entry. */
export async function createUser(person: Person, change: ChangeContext): Promise<StoredUser> {
  const user = await insertUser(person, { passwordHash: null }, change);
  if (!user) throw new Problem(EmailInUse, 'Another user has this e-mail address.');
  return user;
}

export const fullName = ({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`;

/** The user as the actor of a change. */
export const actorOfUser = (user: Pick<UserDocument, '_id' | 'firstName' | 'lastName'>): Actor => ({
  type: 'person',
  id: user._id,
  name: fullName(user),
});
