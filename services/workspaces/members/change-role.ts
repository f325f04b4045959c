import type { Role } from '../../../contract/access-rule.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { MemberModel, memberId, type RowRole } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';
import { notAllowed } from '../workspaces.problems.ts';
import { type Authority, assertMayGrant, assertMayTake, isSelf } from './authority.ts';
import { findMember, type Member } from './find-member.ts';
import type { MemberChange } from './member-change.ts';
import type { Owners } from './ownership/membership.ts';
import { grantOwnership, takeOwnership } from './ownership/owners.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';

/** The membership after a change of role; `from` equals the new role when nothing was written. */
export interface ChangedRole {
  membership: UserWorkspace;
  from: Role;
}

/** Gives a member another role. A change that was cut off at any point is finished by the next try. */
export async function changeRole(
  { workspaceId, userEmail, role }: Params<'workspaces.changeRole'>,
  { authority, directory, markAffected }: MemberChange,
): Promise<ChangedRole> {
  for (;;) {
    const member = await findMember(workspaceId, userEmail, directory);
    if (isSelf(authority, member.user.id)) throw notAllowed('Nobody changes their own role.');
    assertMayTake(authority, member.role);
    assertMayGrant(authority, role);
    const from = member.role;
    if (from === role) return { membership: showMembership(member, member.row?.updatedAt), from };
    markAffected(member.user.id);
    const updatedAt = new Date();
    if (await writeRole(member, role, authority, updatedAt)) {
      return { membership: showMembership({ ...member, role }, updatedAt), from };
    }
  }
}

/** False when the membership has changed since it was read. */
async function writeRole(
  member: Member,
  role: Role,
  authority: Authority,
  updatedAt: Date,
): Promise<boolean> {
  if (role !== 'OWNER' && member.role !== 'OWNER') return writeRowRole(member, role, updatedAt);
  const written = await (role === 'OWNER'
    ? grantOwnership(member.owners, member.user.id, authority, member.pending)
    : demoteOwner(member, role, authority));
  if (written && member.row) {
    await MemberModel.updateOne(membershipFilter(member), { $set: { updatedAt } });
  }
  return written;
}

async function writeRowRole(member: Member, role: RowRole, updatedAt: Date): Promise<boolean> {
  const { matchedCount } = await MemberModel.updateOne(
    { ...membershipFilter(member), role: member.row?.role ?? null },
    { $set: { role, updatedAt } },
  );
  return matchedCount > 0;
}

/** Writes the row first: its role has no effect while the user is OWNER, and counts from then on. */
async function demoteOwner(member: Member, role: RowRole, authority: Authority): Promise<boolean> {
  const { owners, user, row } = member;
  if (!row) {
    await createRow(owners, user.id);
    return false;
  }
  const { matchedCount } = await MemberModel.updateOne(membershipFilter(member), {
    $set: { role },
  });
  return matchedCount > 0 && takeOwnership(owners, user.id, authority);
}

/** Selects the row of this very membership: a later membership of the user has another `joinedAt`. */
const membershipFilter = ({ owners, user, row }: Member) => ({
  _id: memberId(owners._id, user.id),
  joinedAt: row?.joinedAt,
});

/** Creates the row that an OWNER lacks. It has no role. */
async function createRow({ _id: workspaceId, createdAt }: Owners, userId: number): Promise<void> {
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
