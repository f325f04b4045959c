import type { ServiceSchema } from 'moleculer';
import { Database } from '../../mixins/database/database.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { AuditEntryModel } from '../../models/audit-entry.model.ts';
import { MemberModel } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { recordAudit } from './audit/record-audit.ts';
import { isUserNamed } from './list-workspaces.ts';
import { sweepDepartures } from './members/departures.ts';
import { listMembers } from './members/list-members.ts';
import {
  handleAddMember,
  handleChangeRole,
  handleFindRole,
  handleRemoveMember,
  handleUserVerified,
  tellIdentity,
} from './members/member-handlers.ts';
import { directoryOf } from './members/user-directory.ts';
import { getWorkspace, renameWorkspace } from './workspace.ts';
import {
  handleCreateWorkspace,
  handleFindShareOwner,
  handleListPermissions,
  handleListWorkspaceIds,
  handleListWorkspaces,
} from './workspace-handlers.ts';
import { workspacesContract } from './workspaces.contract.ts';

/** Milliseconds between two looks for departures that have not been told. */
const DEPARTURES_EVERY_MS = 60_000;

/** Workspaces, their members and what each of them may do. */
export function workspacesService(): ServiceSchema {
  return {
    name: 'workspaces',
    mixins: [
      Database(WorkspaceModel, MemberModel, AuditEntryModel) as ServiceSchema,
      Sweep(DEPARTURES_EVERY_MS, (broker) =>
        sweepDepartures(tellIdentity(broker)),
      ) as ServiceSchema,
    ],
    actions: implement(workspacesContract, {
      list: handleListWorkspaces,
      create: handleCreateWorkspace,
      get: (ctx) => getWorkspace(ctx.params.id),
      rename: (ctx) => renameWorkspace(ctx.params.id, ctx.params.name),
      listMembers: (ctx) => listMembers(ctx.params.workspaceId, ctx.params, directoryOf(ctx)),
      addMember: handleAddMember,
      removeMember: handleRemoveMember,
      removeMemberByBody: handleRemoveMember,
      changeRole: handleChangeRole,
      permissions: handleListPermissions,
      roleOf: handleFindRole,
      namesUser: async (ctx) => ({ named: await isUserNamed(ctx.params.userId) }),
      workspacesOf: handleListWorkspaceIds,
      shareOwner: handleFindShareOwner,
      recordAudit: (ctx) => recordAudit(ctx.params.entries),
    }),
    events: { ...on(userVerified, handleUserVerified) },
  };
}
