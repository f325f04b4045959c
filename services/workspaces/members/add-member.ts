import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { New } from '../../../mixins/changes/change-store.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type MemberDocument, memberId } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';
import { getWorkspace } from '../get-workspace.ts';
import { alreadyMember, noUser } from '../workspaces.problems.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { assertMayGrant, SYSTEM } from './authority.ts';
import type { Member } from './find-member.ts';
import type { MemberChange } from './member-change.ts';
import { members, rowOf, type StoredMember, unaudited } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import {
  assertOwner,
  type Decision,
  endMembership,
  grantOwnership,
  isOwnerOrPending,
} from './ownership/owners.ts';
import { auditOfRemoval } from './removal.ts';
import { showMembership, type UserWorkspace } from './show-member.ts';
import type { User } from './user-directory.ts';

/** Gives a user a membership. The membership takes effect once the user's address is verified. */
export async function addMember(
  { workspaceId, userEmail, role }: Params<'workspaces.addMember'>,
  { authority, directory, context, markAffected }: MemberChange,
): Promise<UserWorkspace> {
  assertMayGrant(authority, role);
  const [first, user] = await Promise.all([
    getWorkspace(workspaceId),
    directory.byEmail(userEmail),
  ]);
  if (!user) throw noUser();
  const decision = { userId: user.id, authority, context };
  const earlier = await findEarlierAttempt(first, user, context);
  if (earlier) {
    markAffected(user.id);
    if (earlier.row && earlier.role !== 'OWNER') await invalidateReads(earlier.row, context);
    return showMembership(earlier);
  }
  for (let workspace = first; ; workspace = await getWorkspace(workspaceId)) {
    if (role === 'OWNER') assertOwner(workspace, authority);
    const replaced = await findReplaceableRow(workspace, user, context);
    markAffected(user.id);
    const fields = newRow(workspaceId, user, role, { replaced, context });
    const row = await storeRow(fields, replaced, role === 'OWNER' ? unaudited(context) : context);
    if (!row) continue;
    if (role === 'OWNER') {
      if (!(await makeOwner(row, decision))) continue;
    } else if (replaced) {
      await invalidateReads(row, context);
    }
    return showMembership({ user, role, pending: row.pending, workspace, row });
  }
}

/** The membership that an attempt with the same `Idempotency-Key` has given. A row without a role is given again. */
async function findEarlierAttempt(
  workspace: StoredWorkspace,
  user: User,
  { reservedId }: ChangeContext,
): Promise<Member | null> {
  if (reservedId === undefined) return null;
  const row = await rowOf(workspace._id, user.id);
  const { role, pending } = membershipOf(workspace, row, user.id);
  return role && row?.reservedId === reservedId ? { user, role, pending, workspace, row } : null;
}

/** The row of an ended or replaceable membership, or null. Throws for a user who is a member. */
async function findReplaceableRow(
  found: StoredWorkspace,
  user: User,
  context: ChangeContext,
): Promise<StoredMember | null> {
  const ending = { userId: user.id, authority: SYSTEM, context: unaudited(context) };
  for (let workspace = found; ; workspace = await getWorkspace(workspace._id)) {
    const row = await rowOf(workspace._id, user.id);
    if (!isReplaceable(workspace, row, user)) throw alreadyMember();
    // A grant of OWNER that the earlier membership has left would count for the new row.
    if (!isOwnerOrPending(workspace, user.id)) return row;
    if (await endMembership(workspace, ending)) return row;
  }
}

/**
 * Whether the user has no membership, or a pending membership for an address that the user no longer has. An
 * interrupted removal leaves a row without a role.
 */
function isReplaceable(workspace: StoredWorkspace, row: StoredMember | null, user: User): boolean {
  const { role, pending } = membershipOf(workspace, row, user.id);
  return role === null || (pending && row?.givenTo !== emailKey(user.email));
}

/** Makes the member OWNER in the workspace's document, because the new row has no role. False for a replaced row. */
async function makeOwner(row: StoredMember, decision: Decision): Promise<boolean> {
  for (;;) {
    const workspace = await getWorkspaceWithout(row);
    const stored = await rowOf(row.workspaceId, row.userId);
    if (stored?.joinedAt.getTime() !== row.joinedAt.getTime()) return false;
    if (await grantOwnership(workspace, decision, row.pending)) return true;
  }
}

/** Writes the workspace, so that every decision based on a read of the replaced row fails. */
async function invalidateReads(row: StoredMember, context: ChangeContext): Promise<void> {
  const ending = { userId: row.userId, authority: SYSTEM, context: unaudited(context) };
  while (!(await endMembership(await getWorkspaceWithout(row), ending)));
}

/** The workspace. Throws when another request has made the member an OWNER. */
async function getWorkspaceWithout({
  workspaceId,
  userId,
}: StoredMember): Promise<StoredWorkspace> {
  const workspace = await getWorkspace(workspaceId);
  if (isOwnerOrPending(workspace, userId)) throw alreadyMember();
  return workspace;
}

type NewRow = New<MemberDocument> & { _id: string };

/** Makes the new row. Its `joinedAt` is always later than the replaced row's, and so distinguishes the two rows. */
function newRow(
  workspaceId: number,
  user: User,
  role: Role,
  { replaced, context }: { replaced: StoredMember | null; context: ChangeContext },
): NewRow {
  const now = new Date(Math.max(Date.now(), replaced ? replaced.joinedAt.getTime() + 1 : 0));
  return {
    _id: memberId(workspaceId, user.id),
    workspaceId,
    userId: user.id,
    role: role === 'OWNER' ? null : role,
    pending: !user.emailVerified,
    givenTo: emailKey(user.email),
    ...(context.reservedId === undefined ? {} : { reservedId: context.reservedId }),
    joinedAt: now,
    updatedAt: now,
  };
}

/** Stores the row. Of concurrent requests that add the same user one succeeds; the others get null. */
async function storeRow(
  row: NewRow,
  replaced: StoredMember | null,
  context: ChangeContext,
): Promise<StoredMember | null> {
  if (replaced) {
    const { _id, updatedAt, ...set } = row;
    const messages = auditOfRemoval(replaced);
    const unset = [
      'removal' as const,
      ...(row.reservedId === undefined ? ['reservedId' as const] : []),
    ];
    const update = { set, unset, changed: [], messages };
    return members.tryChange(replaced, update, context);
  }
  try {
    return await members.create(row, context);
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
