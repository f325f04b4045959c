import type { Role } from '../../mixins/access-rule.ts';
import { MemberModel, memberId, type RowRole } from '../../models/member.model.ts';
import { type Authority, assertMayGrant, assertMayTake } from './authority.ts';
import { findMember, type Member } from './find-member.ts';
import { grantOwnership, takeOwnership, takePromise } from './owners.ts';
import type { People } from './people.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';
import { noMember, notAllowed } from './workspaces.problems.ts';

export interface RoleChange {
  workspaceId: number;
  userEmail: string;
  role: Role;
}

/** Gives a member another role. Repeatable: cut off at any point, the next try finishes it. */
export async function changeRole(
  { workspaceId, userEmail, role }: RoleChange,
  by: Authority,
  people: People,
): Promise<UserWorkspace> {
  const member = await findMember(workspaceId, userEmail, people);
  if (member.user.id === by.userId) throw notAllowed('Nobody changes their own role.');
  assertMayTake(by, member.role);
  assertMayGrant(by, role);
  if (member.role === role) return showMembership(member, member.row?.updatedAt);
  if (role === 'OWNER') await grantOwnership(workspaceId, member.user.id, by, member.pending);
  else await giveOther(member, role, by);
  const updatedAt = await touch(member);
  if (updatedAt === null) return undo(member, role, by);
  return showMembership({ ...member, role }, updatedAt);
}

/** The row first: it says nothing while its user is an OWNER, and the right thing from then on. */
async function giveOther({ owners, user, ...was }: Member, role: RowRole, by: Authority) {
  const { _id: workspaceId, createdAt } = owners;
  await MemberModel.updateOne(
    { _id: memberId(workspaceId, user.id) },
    {
      $set: { role },
      $setOnInsert: {
        workspaceId,
        userId: user.id,
        pending: false,
        givenTo: '',
        joinedAt: createdAt,
        updatedAt: createdAt,
      },
    },
    { upsert: was.row === null },
  );
  if (was.role !== 'OWNER') return;
  if (was.pending && !(await takePromise(workspaceId, user.id))) return;
  await takeOwnership(workspaceId, user.id, by);
}

/** When the change was made; null when the row is gone: somebody has removed the member meanwhile. */
async function touch({ owners, user, row }: Member): Promise<Date | null> {
  const updatedAt = new Date();
  const { matchedCount } = await MemberModel.updateOne(
    { _id: memberId(owners._id, user.id) },
    { $set: { updatedAt } },
  );
  return matchedCount === 0 && row ? null : updatedAt;
}

/** Who has been removed meanwhile is no OWNER either. */
async function undo({ owners, user }: Member, role: Role, by: Authority): Promise<never> {
  if (role === 'OWNER') await takeOwnership(owners._id, user.id, by);
  throw noMember();
}
