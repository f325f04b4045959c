import type { Role } from '../../../../contract/access-rule.ts';
import { noWorkspace } from '../../../../contract/problem.ts';
import { batchFind } from '../../../../mixins/database/batch-loader.ts';
import { type MemberDocument, MemberModel, memberId } from '../../../../models/member.model.ts';
import { type WorkspaceDocument, WorkspaceModel } from '../../../../models/workspace.model.ts';

/** The fields of a workspace that decide who is, or will be, its OWNER. */
export type Owners = Readonly<
  Pick<WorkspaceDocument, '_id' | 'ownerIds' | 'pendingOwnerIds' | 'decisions' | 'createdAt'>
>;

/** The role of a user in a workspace; null for a user who is no member. */
export interface Membership {
  role: Role | null;
  /** The role has no effect until the user has verified an address. */
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
 * The workspace's document decides about OWNER, the member's row about every other role. So the two
 * documents never contradict each other, wherever a change of both was cut off.
 */
export function membershipOf(
  owners: Owners,
  row: Readonly<MemberDocument> | null,
  userId: number,
): Membership {
  if (owners.ownerIds.includes(userId)) return { role: 'OWNER', pending: false };
  if (row && owners.pendingOwnerIds.includes(userId)) {
    // A pending OWNER whose row is active is being activated: the role counts already.
    return { role: 'OWNER', pending: row.pending };
  }
  return { role: row?.role ?? null, pending: row?.pending ?? false };
}
