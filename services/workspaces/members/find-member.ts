import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import { noWorkspace } from '../../../contract/problem.ts';
import { type MemberDocument, MemberModel } from '../../../models/member.model.ts';
import { noMember } from '../workspaces.problems.ts';
import { membershipOf, type Owners, ownersOf, rowOf } from './ownership/membership.ts';
import { deletedUserOf, type User, type UserDirectory } from './user-directory.ts';

/** A member of a workspace who was found by an address. */
export interface Member {
  user: User;
  role: Role;
  pending: boolean;
  owners: Owners;
  /** Null for an OWNER whose creation of the workspace was cut off before the row was written. */
  row: MemberDocument | null;
}

/**
 * Finds the member by the present address, or by the address that a pending membership was given to. The
 * address of a user who is no member is answered like an unknown address.
 */
export async function findMember(
  workspaceId: number,
  email: string,
  directory: UserDirectory,
): Promise<Member> {
  const [owners, user] = await Promise.all([ownersOf(workspaceId), directory.byEmail(email)]);
  if (!owners) throw noWorkspace(workspaceId);
  const member = user && (await memberOf(owners, user));
  if (member) return member;
  const pending = await MemberModel.findOne(
    { workspaceId, givenTo: emailKey(email), pending: true },
    { userId: 1 },
  ).lean();
  const found = pending && (await memberOf(owners, await userOf(pending.userId, directory)));
  if (!found) throw noMember();
  return found;
}

async function memberOf(owners: Owners, user: User): Promise<Member | null> {
  const row = await rowOf(owners._id, user.id);
  const { role, pending } = membershipOf(owners, row, user.id);
  return role && { user, role, pending, owners, row };
}

const userOf = async (id: number, directory: UserDirectory): Promise<User> =>
  (await directory.byIds([id])).get(id) ?? deletedUserOf(id);
