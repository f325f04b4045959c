import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { AuditEntryModel } from '../../models/audit-entry.model.ts';
import { InvitationModel } from '../../models/invitation.model.ts';
import { MemberModel } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { publishEvents } from '../outgoing-events/publish-events.ts';
import { findNamedEntries, listActs } from './audit/acts.ts';
import { listAudit } from './audit/list-audit.ts';
import { recordAudit } from './audit/record-audit.ts';
import { getWorkspace } from './get-workspace.ts';
import { revokeInvitationsOfFormerMembers } from './invitations/former-members.ts';
import {
  handleAccept,
  handleAcceptByToken,
  handleCompleteAcceptances,
  handleDecline,
  handleInvite,
  handleListCreated,
  handleListInvitations,
  handleListReceived,
  handleResend,
  handleRevoke,
} from './invitations/invitation-handlers.ts';
import { invitations } from './invitations/invitations.store.ts';
import { isUserNamed } from './list-workspaces.ts';
import { handleAutoJoin } from './members/auto-join.ts';
import { activateOwners } from './members/confirm-memberships.ts';
import { countPending } from './members/count-pending.ts';
import { finishRemovals } from './members/finish-removals.ts';
import { listMembers } from './members/list-members.ts';
import {
  handleAddMember,
  handleChangeRole,
  handleFindRole,
  handleRemoveMember,
  handleRemovePerson,
  handleUserVerified,
} from './members/member-handlers.ts';
import { members } from './members/members.store.ts';
import { memberEvents } from './members/publish-member-events.ts';
import { directoryOf } from './members/user-directory.ts';
import { renameWorkspace, showWorkspace } from './rename-workspace.ts';
import {
  handleCreateWorkspace,
  handleFindShareOwner,
  handleSubscriptionSwitchedOff,
  handleListPermissions,
  handleListWorkspaceIds,
  handleListWorkspaces,
  handleRemoveWorkspace,
} from './workspace-handlers.ts';
import { workspacesContract } from './workspaces.contract.ts';
import { workspaces } from './workspaces.store.ts';

/** Milliseconds between two sweeps of interrupted removals of members. */
const REMOVALS_EVERY_MS = 60_000;

const MODELS = [WorkspaceModel, MemberModel, InvitationModel, AuditEntryModel] as const;

/** The service of workspaces, their members and the members' permissions. */
export function workspacesService(): ServiceSchema {
  const erasures = erasuresOf('workspaces', MODELS, () => ({
    finders: { audit_entries: findNamedEntries },
  }));
  return {
    name: 'workspaces',
    mixins: [
      erasures.mixin,
      Changes(workspaces, members, invitations),
      Sweep(REMOVALS_EVERY_MS, finishRemovals),
    ],
    actions: implement(
      workspacesContract,
      {
        ...erasures.handlers,
        list: handleListWorkspaces,
        create: handleCreateWorkspace,
        get: async (ctx) => showWorkspace(await getWorkspace(ctx.params.id)),
        remove: handleRemoveWorkspace,
        rename: (ctx) => renameWorkspace(ctx.params, changeOf(ctx)),
        listMembers: (ctx) => listMembers(ctx.params.workspaceId, ctx.params, directoryOf(ctx)),
        addMember: handleAddMember,
        removeMember: handleRemoveMember,
        removeMemberByBody: handleRemoveMember,
        changeRole: handleChangeRole,
        permissions: handleListPermissions,
        roleOf: handleFindRole,
        namesUser: async (ctx) => ({ named: await isUserNamed(ctx.params.userId) }),
        removePerson: handleRemovePerson,
        countPending: async (ctx) => ({ count: await countPending(ctx.params) }),
        exists: async (ctx) => ({
          exists: (await workspaces.find(ctx.params.workspaceId)) !== null,
        }),
        autoJoin: handleAutoJoin,
        activateOwners: (ctx) => activateOwners(ctx.params.entries),
        workspacesOf: handleListWorkspaceIds,
        shareOwner: handleFindShareOwner,
        publishEvents: (ctx) =>
          publishEvents(ctx.params.entries, ctx, memberEvents(directoryOf(ctx))),
        subscriptionSwitchedOff: handleSubscriptionSwitchedOff,
        invite: handleInvite,
        listReceivedInvitations: handleListReceived,
        listCreatedInvitations: handleListCreated,
        listInvitations: handleListInvitations,
        acceptInvitation: handleAccept,
        acceptInvitationByToken: handleAcceptByToken,
        declineInvitation: handleDecline,
        resendInvitation: (ctx) => handleResend(ctx, ctx.locals.resource),
        revokeInvitation: (ctx) => handleRevoke(ctx, ctx.locals.resource),
        completeAcceptances: handleCompleteAcceptances,
        revokeInvitationsOfFormerMembers: (ctx) =>
          revokeInvitationsOfFormerMembers(ctx.params.entries, directoryOf(ctx)).then(() => null),
        listAudit: (ctx) => listAudit(ctx.params),
        listActs: (ctx) => listActs(ctx.params),
        recordAudit: (ctx) => recordAudit(ctx.params.entries),
      },
      { invitation: invitations.find },
    ),
    events: { ...on(userVerified, handleUserVerified) },
  };
}
