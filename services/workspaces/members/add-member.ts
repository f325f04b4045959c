import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type MemberDocument, MemberModel, memberId } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';
import { alreadyMember, noUser } from '../workspaces.problems.ts';
import { type Authority, assertMayGrant, SYSTEM } from './authority.ts';
import type { MemberChange } from './member-change.ts';
import { getOwners, membershipOf, type Owners, rowOf } from './ownership/membership.ts';
import {
  assertOwner,
  endMembership,
  grantOwnership,
  isOwnerOrPending,
} from './ownership/owners.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';
import type { User } from './user-directory.ts';

/** Gives a user a membership. It takes effect once the user's address is verified. */
export async function addMember(
  { workspaceId, userEmail, role }: Params<'workspaces.addMember'>,
  { authority, directory, markAffected }: MemberChange,
): Promise<UserWorkspace> {
  assertMayGrant(authority, role);
  const [first, user] = await Promise.all([getOwners(workspaceId), directory.byEmail(userEmail)]);
  if (!user) throw noUser();
  for (let owners = first; ; owners = await getOwners(workspaceId)) {
    if (role === 'OWNER') assertOwner(owners, authority);
    const replaced = await findReplaceableRow(owners, user);
    markAffected(user.id);
    const row = newRow(workspaceId, user, role, replaced);
    if (!(await storeRow(row, replaced))) continue;
    if (role === 'OWNER') {
      if (!(await makeOwner(row, authority))) continue;
    } else if (replaced) {
      await invalidateReads(row);
    }
    return showMembership({ user, role, pending: row.pending, owners, row }, row.updatedAt);
  }
}

/** The row that an earlier membership has left, or null. A user who is a member is refused. */
async function findReplaceableRow(found: Owners, user: User): Promise<MemberDocument | null> {
  for (let owners = found; ; owners = await getOwners(owners._id)) {
    const row = await rowOf(owners._id, user.id);
    if (!isReplaceable(owners, row, user)) throw alreadyMember();
    // A grant of OWNER that the earlier membership has left would count for the new row.
    if (!isOwnerOrPending(owners, user.id)) return row;
    if (await endMembership(owners, user.id, SYSTEM)) return row;
  }
}

/**
 * Whether no membership is there, or only one that waits for an address which the user no longer has. A
 * removal that was cut off leaves a row without a role.
 */
function isReplaceable(owners: Owners, row: MemberDocument | null, user: User): boolean {
  const { role, pending } = membershipOf(owners, row, user.id);
  return role === null || (pending && row?.givenTo !== emailKey(user.email));
}

/** Lets the workspace decide: the new row has no role. False when another request replaced the row. */
async function makeOwner(row: MemberDocument, authority: Authority): Promise<boolean> {
  for (;;) {
    const owners = await getOwnersWithout(row);
    const stored = await rowOf(row.workspaceId, row.userId);
    if (stored?.joinedAt.getTime() !== row.joinedAt.getTime()) return false;
    if (await grantOwnership(owners, row.userId, authority, row.pending)) return true;
  }
}

/** Makes every decision fail that rests on a read of the replaced row. */
async function invalidateReads(row: MemberDocument): Promise<void> {
  while (!(await endMembership(await getOwnersWithout(row), row.userId, SYSTEM)));
}

/** The owners of the workspace. The member is refused when another request made them OWNER. */
async function getOwnersWithout({ workspaceId, userId }: MemberDocument): Promise<Owners> {
  const owners = await getOwners(workspaceId);
  if (isOwnerOrPending(owners, userId)) throw alreadyMember();
  return owners;
}

/** `joinedAt` tells the new row from the replaced one: it is later in any case. */
function newRow(
  workspaceId: number,
  user: User,
  role: Role,
  replaced: MemberDocument | null,
): MemberDocument {
  const now = new Date(Math.max(Date.now(), replaced ? replaced.joinedAt.getTime() + 1 : 0));
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

/** Of several requests that add the same user at once, one succeeds; the others get false. */
async function storeRow(row: MemberDocument, replaced: MemberDocument | null): Promise<boolean> {
  if (replaced) {
    const { _id, ...fields } = row;
    const filter = { _id, joinedAt: replaced.joinedAt };
    return (await MemberModel.updateOne(filter, { $set: fields })).matchedCount > 0;
  }
  try {
    await MemberModel.create(row);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
