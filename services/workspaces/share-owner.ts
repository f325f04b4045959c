import { ownerOfPerson, type ShareOwner, UNKNOWN_OWNER } from '../../support/fair-shares/share.ts';
import type { UserDirectory } from './members/user-directory.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

/** The share owner to whom the work of a workspace is charged. */
export async function findShareOwner(
  workspaceId: number,
  directory: UserDirectory,
): Promise<ShareOwner> {
  const workspace = await workspaces.find(workspaceId);
  const userId = workspace && payingUserOf(workspace);
  if (!userId) return UNKNOWN_OWNER;
  const user = (await directory.byIds([userId])).get(userId);
  return ownerOfPerson(userId, user?.emailVerified ?? false);
}

/** The id of the creator while the creator is OWNER, otherwise of the OWNER with the lowest id. */
function payingUserOf({ ownerIds, createdBy }: StoredWorkspace): number | undefined {
  const { type, id } = createdBy;
  if (type === 'person' && id !== null && ownerIds.includes(id)) return id;
  return ownerIds.toSorted((a, b) => a - b)[0];
}
