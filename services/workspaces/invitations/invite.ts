import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import {
  INVITATION_SLOT_INDEX,
  InvitationModel,
  LIVE_INVITATION_INDEX,
} from '../../../models/invitation.model.ts';
import type { Params } from '../../contracts.ts';
import { getWorkspace } from '../get-workspace.ts';
import { type Authority, assertMayGrant } from '../members/authority.ts';
import { rowOf } from '../members/members.store.ts';
import { membershipOf } from '../members/ownership/membership.ts';
import { assertOwner } from '../members/ownership/owners.ts';
import type { UserDirectory } from '../members/user-directory.ts';
import { alreadyMember } from '../workspaces.problems.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { findFreeInvitationSlot } from './invitation-slot.ts';
import {
  INVITATION_MS,
  invitations,
  isPending,
  mailMessage,
  type StoredInvitation,
} from './invitations.store.ts';
import { type Invitation, showInvitation } from './show-invitation.ts';

/** The call of a use case of invitations. */
export interface InvitationCall {
  directory: UserDirectory;
  /** The present role of a service account in its workspace; null for none. */
  roleOfAccount(accountId: number, workspaceId: number): Promise<Role | null>;
  /** The request, for the audit log. */
  context: ChangeContext;
}

interface InviterCall extends InvitationCall {
  authority: Authority;
  /** The number of live invitations that a workspace may have; null for no limit. */
  quota: number | null;
}

type NewInvitation = Params<'workspaces.invite'>;

/** Invites an address, or renews the live invitation of the address. */
export async function invite(
  invited: NewInvitation,
  { authority, directory, context, quota }: InviterCall,
): Promise<Invitation> {
  assertMayGrant(authority, invited.role);
  const workspace = await getWorkspace(invited.workspaceId);
  if (invited.role === 'OWNER') assertOwner(workspace, authority);
  await assertNoMember(workspace, invited.email, directory);
  for (;;) {
    const live = await findLive(workspace._id, emailKey(invited.email));
    const stored = live
      ? await renew(live, invited, context)
      : await create(invited, quota, context);
    if (stored) return showInvitation(stored, workspace.name, directory);
  }
}

/** Throws for the address of a member. A membership that waits for the verification of this address counts. */
async function assertNoMember(
  workspace: StoredWorkspace,
  email: string,
  directory: UserDirectory,
): Promise<void> {
  const user = await directory.byEmail(email);
  const row = user && (await rowOf(workspace._id, user.id));
  if (!user) return;
  const { role, pending } = membershipOf(workspace, row, user.id);
  if (role !== null && !(pending && row?.givenTo !== emailKey(email))) throw alreadyMember();
}

const findLive = (workspaceId: number, key: string): Promise<StoredInvitation | null> =>
  InvitationModel.findOne(
    { workspaceId, emailKey: key, live: true },
    invitations.projection,
  ).lean<StoredInvitation>();

/** Renews an invitation, so that only a token of the new mail counts; null when it has changed since the read. */
async function renew(
  live: StoredInvitation,
  { email, role }: NewInvitation,
  context: ChangeContext,
): Promise<StoredInvitation | null> {
  if (live._id === context.reservedId) return live; // an earlier attempt of the request has made it
  const set = { ...fieldsOf(email, role, context), tokenVersion: live.tokenVersion + 1 };
  const messages = [mailMessage({ ...live, ...set })];
  const changed = isPending(live) && live.role === role ? ['expiresAt'] : ['role', 'expiresAt'];
  return invitations.tryChange(live, { set, changed, messages }, context);
}

const fieldsOf = (email: string, role: NewInvitation['role'], { actor }: ChangeContext) => {
  const invitedAt = new Date();
  const expiresAt = new Date(invitedAt.getTime() + INVITATION_MS);
  return { email, role, invitedBy: actor, invitedAt, expiresAt };
};

/** Creates an invitation; null when another request took the address or the quota slot first. */
async function create(
  { workspaceId, email, role }: NewInvitation,
  quota: number | null,
  context: ChangeContext,
): Promise<StoredInvitation | null> {
  const fields = fieldsOf(email, role, context);
  const quotaSlot =
    quota === null ? {} : { quotaSlot: await findFreeInvitationSlot(workspaceId, quota) };
  const invitation = {
    workspaceId,
    emailKey: emailKey(email),
    ...fields,
    status: 'PENDING',
    live: true,
    ...quotaSlot,
    tokenVersion: 1,
    acceptedBy: null,
    createdAt: fields.invitedAt,
    updatedAt: fields.invitedAt,
  } as const;
  try {
    return await invitations.create(invitation, context, (created) => [mailMessage(created)]);
  } catch (error) {
    if (isDuplicateKey(error, LIVE_INVITATION_INDEX)) return null;
    if (isDuplicateKey(error, INVITATION_SLOT_INDEX)) return null;
    throw error;
  }
}
