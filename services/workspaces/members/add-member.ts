import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type MemberDocument, MemberModel, memberId } from '../../../models/member.model.ts';
import { alreadyMember, noUser } from '../workspaces.problems.ts';
import { type Authority, assertMayGrant, SYSTEM } from './authority.ts';
import { getOwners, type Owners, rowOf, type Standing, standingOf } from './membership.ts';
import { assertOwner, endStanding, grantOwnership, isPromised } from './owners.ts';
import type { People, User } from './people.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';

export interface NewMember {
  workspaceId: number;
  userEmail: string;
  role: Role;
}

/**
 * Gives a user a membership, and tells `touching` first whom. It counts once the address that it is
 * given to is verified.
 */
export async function addMember(
  { workspaceId, userEmail, role }: NewMember,
  by: Authority,
  people: People,
  touching: (userId: number) => void,
): Promise<UserWorkspace> {
  assertMayGrant(by, role);
  const [first, user] = await Promise.all([getOwners(workspaceId), people.byEmail(userEmail)]);
  if (!user) throw noUser();
  for (let owners = first; ; owners = await getOwners(workspaceId)) {
    if (role === 'OWNER') assertOwner(owners, by);
    const old = await replaceableRow(owners, user);
    touching(user.id);
    const row = newRow(workspaceId, user, role, old);
    if (!(await store(row, old))) continue;
    if (role !== 'OWNER') await settle(row, old);
    else if (!(await makeOwner(row, by))) continue;
    return showMembership({ user, role, pending: row.pending, owners, row }, row.updatedAt);
  }
}

/** The row that an earlier membership has left, or none; refuses who is a member. */
async function replaceableRow(found: Owners, user: User): Promise<MemberDocument | null> {
  for (let owners = found; ; owners = await getOwners(owners._id)) {
    const old = await rowOf(owners._id, user.id);
    if (!isVacant(standingOf(owners, old, user.id), old, user)) throw alreadyMember();
    // A promise that was left as well would count for the new row.
    if (!isPromised(owners, user.id)) return old;
    if (await endStanding(owners, user.id, SYSTEM)) return old;
  }
}

/** The row says nothing yet: the workspace decides. False when somebody else has taken the row over. */
async function makeOwner(row: MemberDocument, by: Authority): Promise<boolean> {
  for (let owners = await noOwnerYet(row); ; owners = await noOwnerYet(row)) {
    const mine = await rowOf(row.workspaceId, row.userId);
    if (mine?.joinedAt.getTime() !== row.joinedAt.getTime()) return false;
    if (await grantOwnership(owners, row.userId, by, row.pending)) return true;
  }
}

/** The row of an earlier membership is this one's now: nobody else shall decide by what it said. */
async function settle(row: MemberDocument, old: MemberDocument | null): Promise<void> {
  if (old) while (!(await endStanding(await noOwnerYet(row), row.userId, SYSTEM)));
}

async function noOwnerYet({ workspaceId, userId }: MemberDocument): Promise<Owners> {
  const owners = await getOwners(workspaceId);
  if (isPromised(owners, userId)) throw alreadyMember();
  return owners;
}

/**
 * Whether there is no membership but what a removal left that was cut off, or one that waits for an
 * address which the user no longer has.
 */
const isVacant = (standing: Standing, row: MemberDocument | null, user: User): boolean =>
  standing.role === null || (standing.pending && row?.givenTo !== emailKey(user.email));

function newRow(
  workspaceId: number,
  user: User,
  role: Role,
  old: MemberDocument | null,
): MemberDocument {
  const now = new Date(Math.max(Date.now(), old ? old.joinedAt.getTime() + 1 : 0));
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

/** Of several who add the same user at once, one succeeds; false for the others. */
async function store(row: MemberDocument, old: MemberDocument | null): Promise<boolean> {
  if (old) {
    const { _id, ...fields } = row;
    const left = { _id, joinedAt: old.joinedAt };
    return (await MemberModel.updateOne(left, { $set: fields })).matchedCount > 0;
  }
  try {
    await MemberModel.create(row);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
