import type { Role } from '../../../../contract/access-rule.ts';
import type { StoredWorkspace } from '../../workspaces.store.ts';
import type { StoredMember } from '../members.store.ts';

/** The role of a user in a workspace; null for a user who is no member. */
export interface Membership {
  role: Role | null;
  /** Whether the role has no effect until the user has verified the address. */
  pending: boolean;
}

/**
 * The membership by both documents: the workspace's document decides about OWNER, the member's row about every other
 * role. So an interrupted change of both documents leaves no contradiction.
 */
export function membershipOf(
  { ownerIds, pendingOwnerIds }: Pick<StoredWorkspace, 'ownerIds' | 'pendingOwnerIds'>,
  row: StoredMember | null,
  userId: number,
): Membership {
  if (ownerIds.includes(userId)) return { role: 'OWNER', pending: false };
  if (row && pendingOwnerIds.includes(userId)) {
    // The role of a pending OWNER with an active row has effect already, although the activation is in flight.
    return { role: 'OWNER', pending: row.pending };
  }
  return { role: row?.role ?? null, pending: row?.pending ?? false };
}
