import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { SYSTEM } from '../members/authority.ts';
import { withMemberEvent } from '../members/member-events.ts';
import { members, rowOf, unaudited } from '../members/members.store.ts';
import { grantOwnership, isOwnerOrPending } from '../members/ownership/owners.ts';
import { type StoredWorkspace, workspaces } from '../workspaces.store.ts';
import type { StoredInvitation } from './invitations.store.ts';

/**
 * Gives the row of an accepted invitation its role, once: every later change of the membership takes the
 * invitation's id from the row, and a row without the id stays as it is.
 */
export async function completeAcceptance(
  { _id: invitationId, workspaceId, role, acceptedBy }: StoredInvitation,
  userId: number,
  request: ChangeContext,
): Promise<void> {
  if (acceptedBy !== userId) return;
  const context = { ...request, audit: { resource: 'member' } };
  for (;;) {
    const workspace = await workspaces.find(workspaceId);
    const row = workspace && (await rowOf(workspaceId, userId));
    if (!workspace || row?.invitationId !== invitationId) return;
    if (role === 'OWNER') {
      const told = withMemberEvent(context, 'member.added', { row, workspace }, role);
      if (!(await assureOwner(workspace, userId, told))) continue;
      if (await members.tryChange(row, { unset: ['invitationId'] }, unaudited(context))) return;
    } else {
      const update = { set: { role }, unset: ['invitationId'], changed: ['role'] } as const;
      const told = withMemberEvent(context, 'member.added', { row, workspace }, role);
      if (await members.tryChange(row, update, told)) return;
    }
  }
}

/** Makes the user OWNER unless the user is; false when the workspace was written since the read. */
async function assureOwner(
  workspace: StoredWorkspace,
  userId: number,
  context: ChangeContext,
): Promise<boolean> {
  if (isOwnerOrPending(workspace, userId)) return true;
  return grantOwnership(workspace, { userId, authority: SYSTEM, context }, false);
}
