import type { Role } from '../../../contract/access-rule.ts';
import { confirmMemberships } from './confirm.ts';
import { ownersOf, rowOf, standingOf } from './membership.ts';
import type { People } from './people.ts';

export interface RoleFound {
  role: Role | null;
  /** Workspaces in which asking let a waiting membership count: the news of it had been lost. */
  confirmed: number[];
}

/** A person's role in a workspace now; null for who is no member, or not yet. */
export async function roleOf(
  userId: number,
  workspaceId: number,
  people: People,
): Promise<RoleFound> {
  const [owners, row] = await Promise.all([ownersOf(workspaceId), rowOf(workspaceId, userId)]);
  if (!owners) return { role: null, confirmed: [] };
  const { role, pending } = standingOf(owners, row, userId);
  if (!pending) return { role, confirmed: [] };
  const confirmed = await confirmMemberships(userId, people);
  return { role: confirmed.includes(workspaceId) ? role : null, confirmed };
}
