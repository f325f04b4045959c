import type { Actor, Caller } from '../../../contract/caller.ts';
import { emailKey } from '../../../contract/fields.ts';
import { NotFound, Problem } from '../../../contract/problem.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import { personOf } from '../call-context.ts';
import { EmailInUse } from '../identity.problems.ts';
import { isOperator } from './operator.ts';

/** A person as a caller names them. */
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
export const showMe = (user: UserDocument) => ({
  ...showKnownUser(user),
  operator: isOperator(user),
});

export const findUser = batchFind<UserDocument>(UserModel);

export const findByEmail = (email: string): Promise<UserDocument | null> =>
  UserModel.findOne({ emailKey: emailKey(email) })
    .lean()
    .exec();

/** The users with these ids, without order; unknown ids are left out. */
export async function findUsers(ids: readonly number[]): Promise<UserDocument[]> {
  const users = await Promise.all([...new Set(ids)].map(findUser));
  return users.filter((user) => user !== null);
}

export async function getUser(id: number): Promise<UserDocument> {
  const user = await findUser(id);
  if (!user) throw new Problem(NotFound, `There is no user ${id}.`);
  return user;
}

/** The user who calls. Callers of other kinds are no users, and get 404. */
export async function getCallingUser(caller: Caller): Promise<UserDocument> {
  return getUser(personOf(caller).userId);
}

export async function findUserWithEmail(email: string) {
  const user = await findByEmail(email);
  return user && showKnownUser(user);
}

export async function isOwnAddress(userId: number, email: string): Promise<boolean> {
  return (await findUser(userId))?.emailKey === emailKey(email);
}

interface NewAccount
  extends Pick<UserDocument, 'passwordHash' | 'knownNetworks' | 'unverifiedUntil'> {
  createdBy: Actor | 'self';
}

/**
 * Inserts a user; null when the address is taken, which the unique index decides. `createdBy: 'self'` makes
 * the user its own creator.
 */
export async function insertUser(
  person: Person,
  { createdBy, ...account }: NewAccount,
): Promise<UserDocument | null> {
  const now = new Date();
  const id = await nextId('users');
  const { email, firstName, lastName } = person;
  const self: Actor = { type: 'person', id, name: fullName(person) };
  const user: UserDocument = {
    _id: id,
    email,
    emailKey: emailKey(email),
    emailVerified: false,
    firstName,
    lastName,
    ...account,
    createdBy: createdBy === 'self' ? self : createdBy,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await UserModel.create(user);
    return user;
  } catch (error) {
    if (isDuplicateKey(error, 'emailKey_1')) return null;
    throw error;
  }
}

/** Adds a directory entry. */
export async function createUser(person: Person, createdBy: Actor): Promise<UserDocument> {
  const user = await insertUser(person, { passwordHash: null, createdBy });
  if (!user) throw new Problem(EmailInUse, 'Another user has this e-mail address.');
  return user;
}

export const fullName = ({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`;
