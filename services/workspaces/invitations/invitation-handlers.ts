import { asSystem, personOf } from '../../../contract/caller.ts';
import { emailKey } from '../../../contract/fields.ts';
import { invalidField } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import { changeOf } from '../../../mixins/changes/change-context.ts';
import { logSecurityEvent, type SecurityEvent } from '../../../mixins/security-log.ts';
import { hashOf } from '../../../support/hash.ts';
import { logger } from '../../../support/logging.ts';
import type { Ctx, Params } from '../../contracts.ts';
import { listWorkspaceIds } from '../list-workspaces.ts';
import { announceMembers } from '../members/announce-members.ts';
import { authorityOf } from '../members/authority.ts';
import { directoryOf, type User } from '../members/user-directory.ts';
import { noInvitation, notPending } from '../workspaces.problems.ts';
import { type Acceptance, acceptInvitation } from './accept-invitation.ts';
import { completeAcceptance } from './complete-acceptance.ts';
import { declineInvitation, resendInvitation, revokeInvitation } from './end-invitation.ts';
import { invitations, type StoredInvitation } from './invitations.store.ts';
import { type InvitationCall, invite } from './invite.ts';
import { listCreated, listInvitations, listReceived } from './list-invitations.ts';
import type { Invitation } from './show-invitation.ts';

const callOf = (ctx: Ctx): InvitationCall => ({
  directory: directoryOf(ctx),
  async roleOfAccount(accountId, workspaceId) {
    const params = { accountId, workspaceId };
    return (await ctx.call('identity.roleOfServiceAccount', params, asSystem('workspaces'))).role;
  },
  context: changeOf(ctx),
});

function log(event: SecurityEvent, ctx: Ctx, { id, workspaceId, role }: LoggedInvitation): void {
  logSecurityEvent(event, ctx, { workspaceId, invitationId: id, role });
}
type LoggedInvitation = Pick<Invitation, 'id' | 'workspaceId' | 'role'>;

export async function handleInvite(ctx: Ctx<Params<'workspaces.invite'>>): Promise<Invitation> {
  const { INVITATIONS_PER_WORKSPACE: quota } = environment;
  const call = { ...callOf(ctx), authority: authorityOf(ctx), quota };
  const invited = await invite(ctx.params, call);
  log('invitation.created', ctx, invited);
  return invited;
}

export const handleListReceived = (ctx: Ctx<Params<'workspaces.listReceivedInvitations'>>) =>
  listReceived(personOf(ctx.meta.caller).userId, ctx.params, directoryOf(ctx));

export async function handleListCreated(ctx: Ctx<Params<'workspaces.listCreatedInvitations'>>) {
  const { userId } = personOf(ctx.meta.caller);
  const { workspaceId } = ctx.params;
  const directory = directoryOf(ctx);
  const workspaceIds =
    workspaceId === undefined
      ? (await listWorkspaceIds(userId, directory)).workspaceIds
      : [workspaceId];
  return listCreated(userId, workspaceIds, ctx.params, directory);
}

export const handleListInvitations = (ctx: Ctx<Params<'workspaces.listInvitations'>>) =>
  listInvitations({ workspaceId: ctx.params.workspaceId }, ctx.params, directoryOf(ctx));

export async function handleResend(
  ctx: Ctx<Params<'workspaces.resendInvitation'>>,
  invitation: StoredInvitation,
): Promise<Invitation> {
  return resendInvitation(invitation, { ...callOf(ctx), authority: authorityOf(ctx) });
}

export async function handleRevoke(
  ctx: Ctx<Params<'workspaces.revokeInvitation'>>,
  invitation: StoredInvitation,
): Promise<null> {
  await revokeInvitation(invitation, callOf(ctx));
  const { _id: id, workspaceId, role } = invitation;
  log('invitation.revoked', ctx, { id, workspaceId, role });
  return null;
}

export async function handleDecline(
  ctx: Ctx<Params<'workspaces.declineInvitation'>>,
): Promise<Invitation> {
  const { invitation } = await getReceived(ctx);
  const declined = await declineInvitation(invitation, callOf(ctx));
  log('invitation.declined', ctx, declined);
  return declined;
}

export async function handleAccept(
  ctx: Ctx<Params<'workspaces.acceptInvitation'>>,
): Promise<Invitation> {
  const { invitation, user } = await getReceived(ctx);
  return accept(ctx, invitation, { user, assertRight: () => undefined });
}

/** The invitation, and the caller, whose verified address it names. Throws 404 for everybody else. */
async function getReceived(
  ctx: Ctx<{ id: number }>,
): Promise<{ invitation: StoredInvitation; user: User }> {
  const { id } = ctx.params;
  const { caller } = ctx.meta;
  if (caller.kind !== 'person') throw noInvitation(id);
  const [invitation, user] = await Promise.all([
    invitations.find(id),
    findUser(ctx, caller.userId),
  ]);
  if (!invitation || !user?.emailVerified) throw noInvitation(id);
  if (emailKey(user.email) !== invitation.emailKey) throw noInvitation(id);
  return { invitation, user };
}

const findUser = async (ctx: Ctx, userId: number): Promise<User | undefined> =>
  (await directoryOf(ctx).byIds([userId])).get(userId);

export async function handleAcceptByToken(
  ctx: Ctx<Params<'workspaces.acceptInvitationByToken'>>,
): Promise<Invitation> {
  const { userId } = personOf(ctx.meta.caller);
  const [{ ticket }, user] = await Promise.all([
    ctx.call('identity.readInvitationToken', ctx.params, asSystem('workspaces')),
    findUser(ctx, userId),
  ]);
  const invitation = ticket && (await invitations.find(ticket.invitationId));
  // An id counts for one invitation only, also after a backup was restored.
  if (!user || !invitation || hashOf(invitation.emailKey) !== ticket.addressHash) {
    throw invalidField('token', 'invalid_token', 'is not the token of an invitation');
  }
  const assertRight = (current: StoredInvitation) => {
    if (current.tokenVersion === ticket.tokenVersion) return;
    throw notPending('A later mail has replaced this token.');
  };
  const accepted = await accept(ctx, invitation, { user, assertRight });
  if (!user.emailVerified) await verifyAddress(ctx, user, invitation);
  return accepted;
}

async function accept(
  ctx: Ctx,
  invitation: StoredInvitation,
  acceptance: Acceptance,
): Promise<Invitation> {
  const { id: userId } = acceptance.user;
  const { workspaceId } = invitation;
  try {
    const accepted = await acceptInvitation(invitation, acceptance, callOf(ctx));
    log('invitation.accepted', ctx, accepted);
    logSecurityEvent('member.added', ctx, { workspaceId, userId, role: accepted.role });
    return accepted;
  } finally {
    await announceMembers(ctx, userId, [workspaceId]);
  }
}

/** Verifies the caller's own address before the answer. The outbox of the acceptance does it after a failure. */
async function verifyAddress(
  ctx: Ctx,
  { id: userId, email }: User,
  invitation: StoredInvitation,
): Promise<void> {
  if (emailKey(email) !== invitation.emailKey) return;
  const entry = { id: `invitation ${invitation._id}`, at: new Date().toISOString(), userId, email };
  try {
    await ctx.call('identity.verifyInvited', { entries: [entry] }, asSystem('workspaces'));
  } catch (err) {
    logger.warn({ err }, 'An address is verified later, by the outbox of the invitation');
  }
}

/** Finishes acceptances whose requests ended before they had made the member. */
export async function handleCompleteAcceptances(
  ctx: Ctx<Params<'workspaces.completeAcceptances'>>,
): Promise<null> {
  for (const { invitationId, userId, request } of ctx.params.entries) {
    const invitation = await invitations.find(invitationId);
    if (!invitation) continue;
    await completeAcceptance(invitation, userId, { ...request, audit: { resource: 'member' } });
    await announceMembers(ctx, userId, [invitation.workspaceId]);
  }
  return null;
}
