import type { Role } from '../../../contract/access-rule.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import { getWorkspace } from '../get-workspace.ts';
import { assertMayTake, isSelf } from './authority.ts';
import { createOwnerRow } from './create-owner-row.ts';
import { findMember, type Member } from './find-member.ts';
import type { MemberChange } from './member-change.ts';
import { members, rowOf, type StoredMember, unaudited } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import { type Decision, endMembership } from './ownership/owners.ts';
import { isBeingRemoved, type RowInRemoval, removalBy, removeRow } from './removal.ts';

/**
 * Ends a membership, and returns the user and the role of the membership. Issues that are assigned to the user
 * keep their assignee.
 */
export async function removeMember(
  { workspaceId, userEmail }: Params<'workspaces.removeMember'>,
  { authority, directory, context, markAffected }: MemberChange,
): Promise<{ userId: number; role: Role }> {
  for (;;) {
    const member = await findMember(workspaceId, userEmail, { directory, authority });
    const { user, role } = member;
    if (!isSelf(authority, user.id)) assertMayTake(authority, role);
    markAffected(user.id);
    const removed = await endAndRemove(member, { userId: user.id, authority, context });
    if (removed) return { userId: user.id, role };
  }
}

/**
 * Empties the row, ends the membership in the workspace's document, and removes the row. An interrupted removal
 * leaves an OWNER or a row that `finishRemovals` removes. False when the caller must read the membership again.
 */
export async function endAndRemove(
  { row, workspace }: Pick<Member, 'row' | 'workspace'>,
  decision: Decision,
): Promise<boolean> {
  if (!row) {
    await createOwnerRow(workspace, decision);
    return false;
  }
  const ending = { ...decision, context: unaudited(decision.context) };
  const { role } = membershipOf(workspace, row, decision.userId);
  let emptied = await emptyRow(row, role, decision.context);
  let current = workspace;
  while (emptied) {
    if ((await endMembership(current, ending)) && (await removeRow(emptied, current))) return true;
    current = await getWorkspace(workspace._id);
    const found = await rowOf(workspace._id, decision.userId);
    const isSameMembership = found?.joinedAt.getTime() === row.joinedAt.getTime();
    if (!isSameMembership) return true; // another request has finished this removal
    emptied = found && isBeingRemoved(found) ? found : null;
  }
  return false;
}

/** Removes the role from the row, so that the row gives no membership after the workspace's write. */
async function emptyRow(
  row: StoredMember,
  role: Role | null,
  context: ChangeContext,
): Promise<RowInRemoval | null> {
  const set = { role: null, removal: removalBy(context, role) };
  const update = { set, unset: ['invitationId'] as const };
  const emptied = await members.tryChange(row, update, unaudited(context));
  return emptied && isBeingRemoved(emptied) ? emptied : null;
}
