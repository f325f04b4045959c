import { asSystem, personOf } from '../../contract/caller.ts';
import { emit } from '../../contract/event.ts';
import { environment } from '../../environment/environment.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { logSecurityEvent } from '../../mixins/security-log.ts';
import type { Ctx, Params } from '../contracts.ts';
import { allRoutes } from '../routes.ts';
import { createWorkspace } from './create-workspace.ts';
import { getWorkspace } from './get-workspace.ts';
import { listOwnWorkspace } from './list-own-workspace.ts';
import { listWorkspaceIds, listWorkspaces, type WorkspacesFound } from './list-workspaces.ts';
import { announceMembers } from './members/announce-members.ts';
import { authorityOf, roleOfCaller } from './members/authority.ts';
import { assertOwner } from './members/ownership/owners.ts';
import { directoryOf } from './members/user-directory.ts';
import { operationsFor } from './permissions.ts';
import { removeWorkspace } from './remove-workspace.ts';
import { showWorkspace } from './rename-workspace.ts';
import { findShareOwner, payingUserOf } from './share-owner.ts';
import { memberChanged } from './workspaces.events.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

export async function handleListWorkspaces(
  ctx: Ctx<Params<'workspaces.list'>>,
): Promise<WorkspacesFound['page']> {
  const { caller } = ctx.meta;
  if (caller.kind === 'service-account') return listOwnWorkspace(caller, ctx);
  if (caller.kind !== 'person') return { items: [], after: null }; // an operator is no member
  const { userId } = caller;
  const { page, confirmed } = await listWorkspaces(userId, ctx.params, directoryOf(ctx));
  await announceMembers(ctx, userId, confirmed);
  return page;
}

export async function handleListWorkspaceIds(
  ctx: Ctx<Params<'workspaces.workspacesOf'>>,
): Promise<{ workspaceIds: number[] }> {
  const { userId } = ctx.params;
  const { workspaceIds, confirmed } = await listWorkspaceIds(userId, directoryOf(ctx));
  await announceMembers(ctx, userId, confirmed);
  return { workspaceIds };
}

export async function handleCreateWorkspace(ctx: Ctx<Params<'workspaces.create'>>) {
  const { WORKSPACES_PER_PERSON: quota } = environment;
  const workspace = { name: ctx.params.name, ownerId: personOf(ctx.meta.caller).userId, quota };
  return showWorkspace(await createWorkspace(workspace, changeOf(ctx)));
}

export async function handleRemoveWorkspace(ctx: Ctx<Params<'workspaces.remove'>>): Promise<null> {
  const { id: workspaceId } = ctx.params;
  const authority = authorityOf(ctx);
  const check = (current: StoredWorkspace) => assertOwner(current, authority);
  await removeWorkspace(await getWorkspace(workspaceId), changeOf(ctx), check);
  await emit(ctx, memberChanged, { workspaceId });
  logSecurityEvent('workspace.deleted', ctx, { workspaceId });
  return null;
}

export async function handleListPermissions(ctx: Ctx) {
  const { caller } = ctx.meta;
  const permitted = { caller, role: roleOfCaller(ctx), isOperator: await isOperator(ctx) };
  return { role: permitted.role, operations: operationsFor(permitted, allRoutes()) };
}

async function isOperator(ctx: Ctx): Promise<boolean> {
  const { caller } = ctx.meta;
  if (caller.kind !== 'person') return caller.kind === 'operator-console';
  const params = { userId: caller.userId, subjectId: caller.userId };
  return (await ctx.call('identity.accessToUser', params, asSystem('workspaces'))).operator;
}

export async function handleFindShareOwner(ctx: Ctx<Params<'workspaces.shareOwner'>>) {
  return { owner: await findShareOwner(ctx.params.workspaceId, directoryOf(ctx)) };
}

/** Hands the notices on with the OWNERs of each workspace and its share owner. A workspace that was deleted has none. */
export async function handleSubscriptionSwitchedOff(
  ctx: Ctx<Params<'workspaces.subscriptionSwitchedOff'>>,
): Promise<null> {
  const entries = await Promise.all(
    ctx.params.entries.map(async (notice) => {
      const workspace = await workspaces.find(notice.workspaceId);
      const ownerIds = workspace ? [...workspace.ownerIds] : [];
      return { ...notice, ownerIds, payerId: workspace && payingUserOf(workspace) };
    }),
  );
  await ctx.call('identity.subscriptionSwitchedOff', { entries }, asSystem('workspaces'));
  return null;
}
