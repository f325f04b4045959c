import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import { noWorkspace } from '../../../contract/problem.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { noMember } from '../workspaces.problems.ts';
import { type StoredWorkspace, workspaces } from '../workspaces.store.ts';
import { isSelf } from './authority.ts';
import type { MemberChange } from './member-change.ts';
import { rowOf, type StoredMember } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import { shownEmail } from './show-member.ts';
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

/** Members of one workspace that were given their memberships by one address; further members are not found by it. */
const MAX_OF_ADDRESS = 100;

/**
 * Finds the member by the address that the list of members shows. The address of a user who is no member, and an
 * address that is not shown, are answered like an unknown address. The authority is found by the own present address.
 */
export async function findMember(
  workspaceId: number,
  email: string,
  { directory, authority }: Pick<MemberChange, 'directory' | 'authority'>,
): Promise<Member> {
  const [workspace, user] = await Promise.all([
    workspaces.find(workspaceId),
    directory.byEmail(email),
  ]);
  if (!workspace) throw noWorkspace(workspaceId);
  const isShown = (member: Member) => emailKey(shownEmail(member.user, member)) === emailKey(email);
  const member = user && (await memberOf(workspace, user));
  if (member && (isSelf(authority, member.user.id) || isShown(member))) return member;
  const found = (await membersGivenTo(workspace, emailKey(email), directory)).find(isShown);
  if (!found) throw noMember();
  return found;
}

/** The members whose memberships were given to an address. */
async function membersGivenTo(
  workspace: StoredWorkspace,
  givenTo: string,
  directory: UserDirectory,
): Promise<Member[]> {
  const rows = await MemberModel.find({ workspaceId: workspace._id, givenTo }, { userId: 1 })
    .limit(MAX_OF_ADDRESS)
    .lean();
  const users = await directory.byIds(rows.map(({ userId }) => userId));
  const found = await Promise.all(
    rows.map(({ userId }) => memberOf(workspace, users.get(userId) ?? deletedUserOf(userId))),
  );
  return found.filter((member) => member !== null);
}

async function memberOf(workspace: StoredWorkspace, user: User): Promise<Member | null> {
  const row = await rowOf(workspace._id, user.id);
  const { role, pending } = membershipOf(workspace, row, user.id);
  return role && { user, role, pending, workspace, row };
}
