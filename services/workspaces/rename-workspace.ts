import type { z } from 'zod';
import { type ChangeContext, systemChange } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { Workspace } from './contract/resources.ts';
import { getWorkspace } from './get-workspace.ts';
import { hasCreator } from './share-owner.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

type ShownWorkspace = z.output<typeof Workspace>;

export const showWorkspace = ({ _id, name }: StoredWorkspace): ShownWorkspace => ({
  id: _id,
  name,
});

const TAKE_OVER = systemChange('workspaces', 'workspaces.rename', {
  none: 'the workspace shows nothing of it',
});

/**
 * Renames a workspace. An OWNER who does that, also to the same name, takes over the work of a workspace whose creator is
 * no OWNER any more: its runs are charged to that OWNER from then on.
 */
export async function renameWorkspace(
  params: Params<'workspaces.rename'>,
  change: ChangeContext,
): Promise<ShownWorkspace> {
  const renamed = await rename(params, change);
  const { type, id } = change.actor;
  const isOwner = type === 'person' && id !== null && renamed.ownerIds.includes(id);
  if (isOwner && !hasCreator(renamed) && renamed.payerId !== id) {
    await workspaces.changeWhere(
      renamed._id,
      { ownerIds: id },
      { set: { payerId: id } },
      TAKE_OVER,
    );
  }
  return showWorkspace(renamed);
}

/** Renames a workspace, without a write if the workspace has the name. Only `If-Match` needs a read before the write. */
async function rename(
  { id, name }: Params<'workspaces.rename'>,
  change: ChangeContext,
): Promise<StoredWorkspace> {
  const update = { set: { name } };
  if (change.ifMatch !== undefined) {
    const decide = (current: StoredWorkspace) => (current.name === name ? null : update);
    return workspaces.change(await getWorkspace(id), decide, change, showWorkspace);
  }
  for (;;) {
    const renamed = await workspaces.changeWhere(id, { name: { $ne: name } }, update, change);
    if (renamed) return renamed;
    const current = await getWorkspace(id);
    if (current.name === name) return current;
  }
}
