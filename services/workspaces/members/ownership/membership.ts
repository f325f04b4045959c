import type { Role } from '../../../../contract/access-rule.ts';
import type { StoredWorkspace } from '../../workspaces.store.ts';
import type { StoredMember } from '../members.store.ts';

/** The role of a user in a workspace; null for a user who is no member. */
export interface Membership {
  role: Role | null;
  /** The role has no effect until the user has verified an address. */
  pending: boolean;
}

/**
 * The workspace's document decides about OWNER, the member's row about every other role. So the two
 * documents never contradict each other, wherever a change of both was cut off.
 */
export function membershipOf(
  { ownerIds, pendingOwnerIds }: Pick<StoredWorkspace, 'ownerIds' | 'pendingOwnerIds'>,
  row: StoredMember | null,
  userId: number,
): Membership {
  if (ownerIds.includes(userId)) return { role: 'OWNER', pending: false };
  if (row && pendingOwnerIds.includes(userId)) {
    // A pending OWNER whose row is active is being activated: the role counts already.
    return { role: 'OWNER', pending: row.pending };
  }
  return { role: row?.role ?? null, pending: row?.pending ?? false };
}
