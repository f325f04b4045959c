import { ADMINS, isAbove, type Role } from '../../../contract/access-rule.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { rowOf } from '../members/members.store.ts';
import { membershipOf } from '../members/ownership/membership.ts';
import { notPending } from '../workspaces.problems.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { endWith } from './end-invitation.ts';
import { invitations, type StoredInvitation } from './invitations.store.ts';
import type { InvitationCall } from './invite.ts';

/** The context of revocations by this service. */
export const REVOCATION = systemChange('workspaces', 'workspaces.revokeInvitation', {
  resource: 'invitation',
});

/**
 * Revokes an invitation and throws 409 when its inviter may no longer give its role. So nobody joins by the
 * word of a former ADMIN.
 */
export async function assertInviterMayGrant(
  workspace: StoredWorkspace,
  invitation: StoredInvitation,
  roleOfAccount: InvitationCall['roleOfAccount'],
): Promise<void> {
  const { type, id } = invitation.invitedBy;
  if (id === null) return; // the operator of the system
  const role =
    type === 'service-account'
      ? await roleOfAccount(id, workspace._id)
      : await roleOfPerson(id, workspace);
  if (role !== null && ADMINS.includes(role) && !isAbove(invitation.role, role)) return;
  await invitations.tryChange(invitation, endWith('REVOKED'), REVOCATION);
  throw notPending('Whoever invited you may not give this role any more.');
}

async function roleOfPerson(userId: number, workspace: StoredWorkspace): Promise<Role | null> {
  const { role, pending } = membershipOf(workspace, await rowOf(workspace._id, userId), userId);
  return pending ? null : role;
}
