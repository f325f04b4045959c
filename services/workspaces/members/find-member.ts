import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import { noWorkspace } from '../../../contract/problem.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { noMember } from '../workspaces.problems.ts';
import { type StoredWorkspace, workspaces } from '../workspaces.store.ts';
import { rowOf, type StoredMember } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import { deletedUserOf, type User, type UserDirectory } from './user-directory.ts';

/** A member of a workspace, found by an address. */
export interface Member {
  user: User;
  role: Role;
  pending: boolean;
  workspace: StoredWorkspace;
  /** The member's row. Null for an OWNER whose creation of the workspace was interrupted before the row's write. */
  row: StoredMember | null;
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
  const [workspace, user] = await Promise.all([
    workspaces.find(workspaceId),
    directory.byEmail(email),
  ]);
  if (!workspace) throw noWorkspace(workspaceId);
  const member = user && (await memberOf(workspace, user));
  if (member) return member;
  const pending = await MemberModel.findOne(
    { workspaceId, givenTo: emailKey(email), pending: true },
    { userId: 1 },
  ).lean();
  const found = pending && (await memberOf(workspace, await userOf(pending.userId, directory)));
  if (!found) throw noMember();
  return found;
}

async function memberOf(workspace: StoredWorkspace, user: User): Promise<Member | null> {
  const row = await rowOf(workspace._id, user.id);
  const { role, pending } = membershipOf(workspace, row, user.id);
  return role && { user, role, pending, workspace, row };
}

const userOf = async (id: number, directory: UserDirectory): Promise<User> =>
  (await directory.byIds([id])).get(id) ?? deletedUserOf(id);
