import { emailKey } from '../../../contract/fields.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { getWorkspace } from '../get-workspace.ts';
import { members, rowOf, type StoredMember, unaudited } from '../members/members.store.ts';
import { findReplaceableRow, invalidateReads, newRow, storeRow } from '../members/new-row.ts';
import type { User } from '../members/user-directory.ts';
import { noInvitation } from '../workspaces.problems.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { completeAcceptance } from './complete-acceptance.ts';
import { assertPending, endWith } from './end-invitation.ts';
import { invitations, type StoredInvitation } from './invitations.store.ts';
import type { InvitationCall } from './invite.ts';
import { assertInviterMayGrant } from './inviter.ts';
import { type Invitation, showInvitation } from './show-invitation.ts';

export interface Acceptance {
  user: User;
  /** Throws when the present state of the invitation does not give the user the right to join. */
  assertRight(current: StoredInvitation): void;
}

/**
 * Accepts an invitation and makes the user a member. A row without a role is stored first. The write of the invitation
 * decides, and its outbox gives the row the role if this process ends before. So the invitation gives one membership,
 * which a later removal ends for good.
 */
export async function acceptInvitation(
  found: StoredInvitation,
  { user, assertRight }: Acceptance,
  { directory, roleOfAccount, context }: InvitationCall,
): Promise<Invitation> {
  for (let invitation = found; ; invitation = await getAgain(found._id)) {
    assertRight(invitation);
    await assertPendingOrDrop(invitation, user, context);
    const workspace = await getWorkspace(invitation.workspaceId);
    await assertInviterMayGrant(workspace, invitation, roleOfAccount);
    if (!(await reserveRow(workspace, user, invitation, context))) continue;
    const update = {
      ...endWith('ACCEPTED'),
      set: { status: 'ACCEPTED', acceptedBy: user.id } as const,
      changed: [isInvited(user, invitation) ? 'status' : 'acceptedByOther'],
      messages: messagesOf(invitation, user, context),
    };
    const accepted = await invitations.tryChange(invitation, update, context);
    if (!accepted) continue;
    await completeAcceptance(accepted, user.id, context);
    return showInvitation(accepted, workspace.name, directory);
  }
}

/** Whether the invitation is for the user's address. Whoever has its token may join by another address. */
const isInvited = ({ email }: User, invitation: StoredInvitation): boolean =>
  emailKey(email) === invitation.emailKey;

async function getAgain(id: number): Promise<StoredInvitation> {
  const found = await invitations.find(id);
  if (!found) throw noInvitation(id);
  return found;
}

/** Throws for an ended invitation, and drops the row that this user's attempt has left without a role. */
async function assertPendingOrDrop(
  invitation: StoredInvitation,
  user: User,
  context: ChangeContext,
): Promise<void> {
  try {
    assertPending(invitation);
  } catch (error) {
    const row =
      invitation.acceptedBy === user.id ? null : await rowOf(invitation.workspaceId, user.id);
    if (row?.invitationId === invitation._id) await members.tryRemove(row, unaudited(context));
    throw error;
  }
}

/**
 * Stores a row without a role for the invitation. Null when another request wrote the row since the read. Throws for a
 * user who is a member.
 */
async function reserveRow(
  workspace: StoredWorkspace,
  user: User,
  { _id: invitationId }: StoredInvitation,
  context: ChangeContext,
): Promise<StoredMember | null> {
  const replaced = await findReplaceableRow(workspace, user, context);
  if (replaced?.invitationId === invitationId) return replaced;
  const fields = { ...newRow(workspace, user, null, { replaced }), pending: false, invitationId };
  const row = await storeRow(fields, replaced, unaudited(context));
  if (row && replaced) await invalidateReads(row, context);
  return row;
}

/** The messages that give the row its role after a crash, and verify the address if it is the user's own. */
function messagesOf(
  invitation: StoredInvitation,
  user: User,
  { actor, via, operation, requestId }: ChangeContext,
): OutboxMessage[] {
  const { _id: invitationId, email } = invitation;
  const request = { actor, via, operation, requestId };
  const completion = {
    call: 'workspaces.completeAcceptances',
    params: { invitationId, userId: user.id, request },
  };
  if (user.emailVerified || !isInvited(user, invitation)) return [completion];
  const verification = { call: 'identity.verifyInvited', params: { userId: user.id, email } };
  return [completion, verification];
}
