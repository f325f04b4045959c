import {
  ownerOfPerson,
  type ShareOwner,
  TRANSFERRED,
  UNKNOWN_OWNER,
} from '../../support/fair-shares/share.ts';
import type { UserDirectory } from './members/user-directory.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

/** The share owner to whom the work of a workspace is charged. */
export async function findShareOwner(
  workspaceId: number,
  directory: UserDirectory,
): Promise<ShareOwner> {
  const workspace = await workspaces.find(workspaceId);
  if (!workspace) return UNKNOWN_OWNER;
  const userId = payingUserOf(workspace);
  if (userId === null) return TRANSFERRED;
  const user = (await directory.byIds([userId])).get(userId);
  return ownerOfPerson(userId, user?.emailVerified ?? false);
}

/** Whether the creator of the workspace is one of its OWNERs. */
export const hasCreator = ({ ownerIds, createdBy: { type, id } }: StoredWorkspace): boolean =>
  type === 'person' && id !== null && ownerIds.includes(id);

/** The id of the creator while OWNER, otherwise of the OWNER who has taken the work over, if there is one. */
export function payingUserOf(workspace: StoredWorkspace): number | null {
  const { ownerIds, createdBy, payerId } = workspace;
  if (hasCreator(workspace)) return createdBy.id;
  return payerId !== undefined && ownerIds.includes(payerId) ? payerId : null;
}
