import type { InvitationStatus } from '../../../models/invitation.model.ts';
import { getWorkspace } from '../get-workspace.ts';
import { type Authority, assertMayGrant } from '../members/authority.ts';
import { notPending } from '../workspaces.problems.ts';
import {
  INVITATION_MS,
  invitations,
  isPending,
  LIVE_FIELDS,
  mailMessage,
  type StoredInvitation,
} from './invitations.store.ts';
import type { InvitationCall } from './invite.ts';
import { type Invitation, showInvitation } from './show-invitation.ts';

/** Throws 409 for an invitation that has ended. */
export function assertPending(invitation: StoredInvitation): void {
  if (isPending(invitation)) return;
  const { status } = invitation;
  throw notPending(`The invitation is ${status === 'PENDING' ? 'EXPIRED' : status}.`);
}

/** The change that ends a pending invitation with the status. */
export const endWith = (status: Exclude<InvitationStatus, 'PENDING'>) =>
  ({ set: { status }, unset: LIVE_FIELDS, changed: ['status'] }) as const;

export async function declineInvitation(
  invitation: StoredInvitation,
  { directory, context }: InvitationCall,
): Promise<Invitation> {
  const { name } = await getWorkspace(invitation.workspaceId);
  const decide = (current: StoredInvitation) => {
    assertPending(current);
    return endWith('DECLINED');
  };
  const declined = await invitations.change(invitation, decide, context);
  return showInvitation(declined, name, directory);
}

export async function revokeInvitation(
  invitation: StoredInvitation,
  { context }: Pick<InvitationCall, 'context'>,
): Promise<void> {
  const decide = (current: StoredInvitation) => {
    assertPending(current);
    return endWith('REVOKED');
  };
  await invitations.change(invitation, decide, context);
}

/** Mails the token of a pending invitation again and prolongs the invitation. */
export async function resendInvitation(
  invitation: StoredInvitation,
  { authority, directory, context }: InvitationCall & { authority: Authority },
): Promise<Invitation> {
  const { name } = await getWorkspace(invitation.workspaceId);
  const decide = (current: StoredInvitation) => {
    assertMayGrant(authority, current.role);
    assertPending(current);
    const set = { expiresAt: new Date(Date.now() + INVITATION_MS) };
    return { set, messages: [mailMessage({ ...current, ...set })] };
  };
  const resent = await invitations.change(invitation, decide, context);
  return showInvitation(resent, name, directory);
}
