import type { Role } from '../../../contract/access-rule.ts';
import { noWorkspace } from '../../../contract/problem.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { type MemberDocument, MemberModel, memberId } from '../../../models/member.model.ts';
import { type WorkspaceDocument, WorkspaceModel } from '../../../models/workspace.model.ts';

/** The fields of a workspace that say who is, or will be, its OWNER. */
export type Owners = Readonly<
  Pick<WorkspaceDocument, '_id' | 'ownerIds' | 'pendingOwnerIds' | 'decisions' | 'createdAt'>
>;

/** How somebody stands in a workspace: null as role for who is no member. */
export interface Standing {
  role: Role | null;
  /** The role waits for an address to be verified and has no effect yet. */
  pending: boolean;
}

export const ownersOf = batchFind<Owners>(WorkspaceModel, {
  projection: { ownerIds: 1, pendingOwnerIds: 1, decisions: 1, createdAt: 1 },
});

export async function getOwners(workspaceId: number): Promise<Owners> {
  const owners = await ownersOf(workspaceId);
  if (!owners) throw noWorkspace(workspaceId);
  return owners;
}

export const rowOf = (
  workspaceId: number,
  userId: number,
): Promise<Readonly<MemberDocument> | null> => findRow(memberId(workspaceId, userId));
const findRow = batchFind<MemberDocument>(MemberModel);

/**
 * The workspace's own document decides about OWNER, the member's row about everything else. So what
 * two documents say can't contradict one another, wherever a change of both was cut off.
 */
export function standingOf(
  owners: Owners,
  row: Readonly<MemberDocument> | null,
  userId: number,
): Standing {
  if (owners.ownerIds.includes(userId)) return { role: 'OWNER', pending: false };
  if (row && owners.pendingOwnerIds.includes(userId)) {
    return { role: 'OWNER', pending: row.pending }; // no longer pending: the promise is being kept
  }
  return { role: row?.role ?? null, pending: row?.pending ?? false };
}
