import { emailKey } from '../../../contract/fields.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { New } from '../../../mixins/changes/change-store.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type MemberDocument, memberId, type RowRole } from '../../../models/member.model.ts';
import { getWorkspace } from '../get-workspace.ts';
import { alreadyMember } from '../workspaces.problems.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { SYSTEM } from './authority.ts';
import { members, rowOf, type StoredMember, unaudited } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import { endMembership, isOwnerOrPending } from './ownership/owners.ts';
import { messagesOfRemoval } from './removal.ts';
import type { User } from './user-directory.ts';

/** The row of an ended or replaceable membership, or null. Throws for a user who is a member. */
export async function findReplaceableRow(
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

/** Writes the workspace, so that every decision based on a read of the replaced row fails. */
export async function invalidateReads(row: StoredMember, context: ChangeContext): Promise<void> {
  const ending = { userId: row.userId, authority: SYSTEM, context: unaudited(context) };
  while (!(await endMembership(await getWorkspaceWithout(row), ending)));
}

/** The workspace. Throws when another request has made the member an OWNER. */
export async function getWorkspaceWithout({
  workspaceId,
  userId,
}: StoredMember): Promise<StoredWorkspace> {
  const workspace = await getWorkspace(workspaceId);
  if (isOwnerOrPending(workspace, userId)) throw alreadyMember();
  return workspace;
}

export type NewRow = New<MemberDocument> & { _id: string };

/**
 * Makes the new row. Its `joinedAt` is always later than the replaced row's, and so distinguishes the two rows, and later than
 * the last change of the workspace, so that its event is behind those of an earlier membership.
 */
export function newRow(
  { _id: workspaceId, updatedAt }: Pick<StoredWorkspace, '_id' | 'updatedAt'>,
  user: User,
  role: RowRole | null,
  { replaced, context }: { replaced: StoredMember | null; context?: ChangeContext },
): NewRow {
  const seen = [updatedAt, ...(replaced ? [replaced.joinedAt, replaced.updatedAt] : [])];
  const now = new Date(Math.max(Date.now(), ...seen.map((time) => time.getTime() + 1)));
  return {
    _id: memberId(workspaceId, user.id),
    workspaceId,
    userId: user.id,
    role,
    pending: !user.emailVerified,
    givenTo: emailKey(user.email),
    ...(context?.reservedId === undefined ? {} : { reservedId: context.reservedId }),
    joinedAt: now,
    updatedAt: now,
  };
}

/** Fields of a replaced row that the new row does not inherit. */
const REPLACED_FIELDS = ['removal', 'reservedId', 'invitationId'] as const;

/** Stores the row. Of concurrent requests that add the same user one succeeds; the others get null. */
export async function storeRow(
  row: NewRow,
  replaced: StoredMember | null,
  context: ChangeContext,
): Promise<StoredMember | null> {
  if (replaced) {
    const { _id, updatedAt, ...set } = row;
    const messages = messagesOfRemoval(replaced);
    const unset = REPLACED_FIELDS.filter((name) => row[name] === undefined);
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
