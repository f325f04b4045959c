import type { z } from 'zod';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { Workspace } from './contract/resources.ts';
import { getWorkspace } from './get-workspace.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

type ShownWorkspace = z.output<typeof Workspace>;

export const showWorkspace = ({ _id, name }: StoredWorkspace): ShownWorkspace => ({
  id: _id,
  name,
});

/** Renames a workspace, without a write if the workspace has the name. Only `If-Match` needs a read before the write. */
export async function renameWorkspace(
  { id, name }: Params<'workspaces.rename'>,
  change: ChangeContext,
): Promise<ShownWorkspace> {
  const update = { set: { name } };
  if (change.ifMatch !== undefined) {
    const decide = (current: StoredWorkspace) => (current.name === name ? null : update);
    const current = await getWorkspace(id);
    return showWorkspace(await workspaces.change(current, decide, change, showWorkspace));
  }
  for (;;) {
    const renamed = await workspaces.changeWhere(id, { name: { $ne: name } }, update, change);
    if (renamed) return showWorkspace(renamed);
    const current = await getWorkspace(id);
    if (current.name === name) return showWorkspace(current);
  }
}
