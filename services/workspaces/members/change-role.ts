import type { Role } from '../../../contract/access-rule.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { MemberModel, memberId, type RowRole } from '../../../models/member.model.ts';
import { notAllowed } from '../workspaces.problems.ts';
import { type Authority, assertMayGrant, assertMayTake, isSelf } from './authority.ts';
import { findMember, type Member } from './find-member.ts';
import type { Owners } from './membership.ts';
import { grantOwnership, takeOwnership } from './owners.ts';
import type { People } from './people.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';

/** What a change of role has done; `from` is the role itself when there was nothing to change. */
export interface ChangedRole {
  membership: UserWorkspace;
  from: Role;
}

export interface RoleChange {
  workspaceId: number;
  userEmail: string;
  role: Role;
}

/**
 * Gives a member another role, and tells `touching` first whom. Repeatable: cut off at any point, the
 * next try finishes it.
 */
export async function changeRole(
  { workspaceId, userEmail, role }: RoleChange,
  by: Authority,
  people: People,
  touching: (userId: number) => void,
): Promise<ChangedRole> {
  for (;;) {
    const member = await findMember(workspaceId, userEmail, people);
    if (isSelf(by, member.user.id)) throw notAllowed('Nobody changes their own role.');
    assertMayTake(by, member.role);
    assertMayGrant(by, role);
    const from = member.role;
    if (from === role) return { membership: showMembership(member, member.row?.updatedAt), from };
    touching(member.user.id);
    const updatedAt = new Date();
    if (await give(member, role, by, updatedAt)) {
      return { membership: showMembership({ ...member, role }, updatedAt), from };
    }
  }
}

/** False when what was found of the member no longer holds. */
async function give(member: Member, role: Role, by: Authority, updatedAt: Date): Promise<boolean> {
  if (role !== 'OWNER' && member.role !== 'OWNER') return giveOther(member, role, updatedAt);
  const given = await (role === 'OWNER'
    ? grantOwnership(member.owners, member.user.id, by, member.pending)
    : demote(member, role, by));
  if (given && member.row) await MemberModel.updateOne(membership(member), { $set: { updatedAt } });
  return given;
}

async function giveOther(member: Member, role: RowRole, updatedAt: Date): Promise<boolean> {
  const { matchedCount } = await MemberModel.updateOne(
    { ...membership(member), role: member.row?.role ?? null },
    { $set: { role, updatedAt } },
  );
  return matchedCount > 0;
}

/** The row first: it says nothing while its user is an OWNER, and the right thing from then on. */
async function demote(member: Member, role: RowRole, by: Authority): Promise<boolean> {
  const { owners, user, row } = member;
  if (!row) {
    await makeRow(owners, user.id);
    return false;
  }
  const { matchedCount } = await MemberModel.updateOne(membership(member), { $set: { role } });
  return matchedCount > 0 && takeOwnership(owners, user.id, by);
}

/** The row that says which membership is meant: one that is given anew begins later. */
const membership = ({ owners, user, row }: Member) => ({
  _id: memberId(owners._id, user.id),
  joinedAt: row?.joinedAt,
});

/** The row that an OWNER lacks; it says nothing yet. */
async function makeRow({ _id: workspaceId, createdAt }: Owners, userId: number): Promise<void> {
  try {
    await MemberModel.create({
      _id: memberId(workspaceId, userId),
      workspaceId,
      userId,
      role: null,
      pending: false,
      givenTo: '',
      joinedAt: createdAt,
      updatedAt: createdAt,
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
