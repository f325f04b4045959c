import type { Role } from '../../../contract/access-rule.ts';
import { workspaces } from '../workspaces.store.ts';
import { activateOwners, confirmMemberships } from './confirm-memberships.ts';
import { rowOf } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import type { UserDirectory } from './user-directory.ts';

export interface FoundRole {
  role: Role | null;
  /** The ids of the workspaces of memberships that this read has activated, because the event was lost. */
  confirmed: number[];
}

/**
 * The role of a user in a workspace; null without a membership, and while the membership is pending. An interrupted
 * activation of an OWNER is completed.
 */
export async function findRole(
  userId: number,
  workspaceId: number,
  directory: UserDirectory,
): Promise<FoundRole> {
  const [workspace, row] = await Promise.all([
    workspaces.find(workspaceId),
    rowOf(workspaceId, userId),
  ]);
  if (!workspace) return { role: null, confirmed: [] };
  const { role, pending } = membershipOf(workspace, row, userId);
  if (!pending) {
    const isInterrupted = role === 'OWNER' && !workspace.ownerIds.includes(userId);
    if (isInterrupted) await activateOwners([{ workspaceId, userId }]);
    return { role, confirmed: [] };
  }
  const confirmed = await confirmMemberships(userId, directory);
  return { role: confirmed.includes(workspaceId) ? role : null, confirmed };
}
