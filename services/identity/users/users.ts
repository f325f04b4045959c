import type { Actor, Caller } from '../../../contract/caller.ts';
import { emailKey } from '../../../contract/fields.ts';
import { NotFound, noUser, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { UNIQUE_EMAIL, type UserDocument, UserModel } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import { EmailInUse } from '../identity.problems.ts';
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
export const showKnownUser = (user: UserDocument) => ({
  ...showUser(user),
  emailVerified: user.emailVerified,
});
/** The user as the caller. `countPending` counts the memberships that wait for the verification of an address. */
export async function showMe(
  user: UserDocument,
  countPending: (user: UserDocument) => Promise<number>,
) {
  const pendingMemberships = user.emailVerified ? 0 : await countPending(user);
  return { ...showKnownUser(user), operator: isOperator(user), pendingMemberships };
}

/** The user with the id. A deleted user is missing, although the document stays until the deletion has ended. */
export async function findUser(id: number): Promise<StoredUser | null> {
  const user = await users.find(id);
  return user?.deletion?.erasedAt ? null : user;
}

export const findByEmail = (email: string): Promise<StoredUser | null> =>
  UserModel.findOne({ emailKey: emailKey(email) }, users.projection)
    .lean<StoredUser>()
    .exec();

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

export async function findUserWithEmail(email: string) {
  const user = await findByEmail(email);
  return user && showKnownUser(user);
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
  return (await findUser(userId))?.emailKey === emailKey(email);
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
  const user = {
    email,
    emailKey: emailKey(email),
    emailVerified: false,
    firstName,
    lastName,
    ...account,
    createdBy: change.actor,
    createdAt: now,
    updatedAt: now,
  };
  try {
    return await users.create(user, change);
  } catch (error) {
    if (isDuplicateKey(error, UNIQUE_EMAIL)) return null;
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
