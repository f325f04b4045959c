import { asSystem, type ServiceAccountCaller } from '../../contract/caller.ts';
import { positionOf } from '../../contract/page-position.ts';
import type { Ctx, Params } from '../contracts.ts';
import type { WorkspacesFound } from './list-workspaces.ts';
import { workspaces } from './workspaces.store.ts';

/** The workspace of a service account, with the role of the account there. */
export async function listOwnWorkspace(
  { accountId, workspaceId }: ServiceAccountCaller,
  ctx: Ctx<Params<'workspaces.list'>>,
): Promise<WorkspacesFound['page']> {
  const after = positionOf(ctx.params); // refuses a wrong cursor
  const [workspace, { role }] = await Promise.all([
    workspaces.find(workspaceId),
    ctx.call('identity.roleOfServiceAccount', { accountId, workspaceId }, asSystem('workspaces')),
  ]);
  const items =
    workspace && role && workspaceId > after
      ? [{ id: workspaceId, name: workspace.name, role }]
      : [];
  return { items, after: null };
}
