import type { z } from 'zod';
import { noWorkspace } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { getWorkspace } from './get-workspace.ts';
import type { Workspace } from './workspaces.contract.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

type ShownWorkspace = z.output<typeof Workspace>;

export const showWorkspace = ({ _id, name }: StoredWorkspace): ShownWorkspace => ({
  id: _id,
  name,
});

/** Renames a workspace. Only a request with an `If-Match` has the workspace read before. */
export async function renameWorkspace(
  { id, name }: Params<'workspaces.rename'>,
  change: ChangeContext,
): Promise<ShownWorkspace> {
  const update = { set: { name } };
  if (change.ifMatch !== undefined) {
    const current = await getWorkspace(id);
    return showWorkspace(await workspaces.change(current, () => update, change, showWorkspace));
  }
  const renamed = await workspaces.changeWhere(id, {}, update, change);
  if (!renamed) throw noWorkspace(id);
  return showWorkspace(renamed);
}
