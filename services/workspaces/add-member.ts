import type { Role } from '../../mixins/access-rule.ts';
import { isDuplicateKey } from '../../mixins/database.ts';
import { emailKey } from '../../mixins/fields.ts';
import { noWorkspace } from '../../mixins/problem.ts';
import { type MemberDocument, MemberModel, memberId } from '../../models/member.model.ts';
import { type Authority, assertMayGrant } from './authority.ts';
import { grantOwnership, takePromise } from './owners.ts';
import type { People, User } from './people.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';
import { ownersOf, rowOf, type Standing, standingOf } from './standing.ts';
import { alreadyMember, noUser } from './workspaces.problems.ts';

export interface NewMember {
  workspaceId: number;
  userEmail: string;
  role: Role;
}

/** Gives a user a membership. It counts once the address that it is given to is verified. */
export async function addMember(
  { workspaceId, userEmail, role }: NewMember,
  by: Authority,
  people: People,
): Promise<UserWorkspace> {
  assertMayGrant(by, role);
  const [owners, user] = await Promise.all([ownersOf(workspaceId), people.byEmail(userEmail)]);
  if (!owners) throw noWorkspace(workspaceId);
  if (!user) throw noUser();
  const old = await rowOf(workspaceId, user.id);
  if (!isVacant(standingOf(owners, old, user.id), old, user)) throw alreadyMember();
  if (owners.pendingOwnerIds.includes(user.id)) await takePromise(workspaceId, user.id);
  const row = newRow(workspaceId, user, role);
  await store(row, old);
  if (role === 'OWNER') await grantOwnership(workspaceId, user.id, by, row.pending);
  return showMembership({ user, role, pending: row.pending, owners, row }, row.updatedAt);
}

/**
 * Whether there is no membership but what a removal left that was cut off, or one that waits for an
 * address which the user no longer has.
 */
const isVacant = (standing: Standing, row: MemberDocument | null, user: User): boolean =>
  standing.role === null || (standing.pending && row?.givenTo !== emailKey(user.email));

function newRow(workspaceId: number, user: User, role: Role): MemberDocument {
  const now = new Date();
  return {
    _id: memberId(workspaceId, user.id),
    workspaceId,
    userId: user.id,
    role: role === 'OWNER' ? null : role,
    pending: !user.emailVerified,
    givenTo: emailKey(user.email),
    joinedAt: now,
    updatedAt: now,
  };
}

/** Of several who add the same user at once, one succeeds. */
async function store(row: MemberDocument, old: MemberDocument | null): Promise<void> {
  if (old) {
    const { _id, ...fields } = row;
    const left = { _id, role: old.role, pending: old.pending, updatedAt: old.updatedAt };
    const { modifiedCount } = await MemberModel.updateOne(left, { $set: fields });
    if (modifiedCount === 0) throw alreadyMember();
    return;
  }
  try {
    await MemberModel.create(row);
  } catch (error) {
    throw isDuplicateKey(error) ? alreadyMember() : error;
  }
}
