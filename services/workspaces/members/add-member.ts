import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import { getWorkspace } from '../get-workspace.ts';
import { noUser } from '../workspaces.problems.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { assertMayGrant } from './authority.ts';
import type { Member } from './find-member.ts';
import type { MemberChange } from './member-change.ts';
import { withMemberEvent } from './member-events.ts';
import { rowOf, type StoredMember, unaudited } from './members.store.ts';
import {
  findReplaceableRow,
  getWorkspaceWithout,
  invalidateReads,
  newRow,
  storeRow,
} from './new-row.ts';
import { membershipOf } from './ownership/membership.ts';
import { assertOwner, type Decision, grantOwnership } from './ownership/owners.ts';
import { showMembership, type GivenMembership } from './show-member.ts';
import type { User } from './user-directory.ts';

/**
 * Gives a user a membership. The membership takes effect once the user's address is verified.
 *
 * A request that replaces a row may end with 409 after its audit entry: another request has made the user OWNER
 * between the writes of the row and of the workspace. The row's write carries the entry, because that write alone
 * gives the role, and a crash after the write must not lose the entry.
 */
export async function addMember(
  { workspaceId, userEmail, role }: Params<'workspaces.addMember'>,
  { authority, directory, context, markAffected }: MemberChange,
): Promise<GivenMembership> {
  assertMayGrant(authority, role);
  const [first, user] = await Promise.all([
    getWorkspace(workspaceId),
    directory.byEmail(userEmail),
  ]);
  if (!user) throw noUser();
  const decision = { userId: user.id, authority, context };
  const earlier = await findEarlierAttempt(first, user, context);
  if (earlier) {
    markAffected(user.id);
    if (earlier.row && earlier.role !== 'OWNER') await invalidateReads(earlier.row, context);
    return showMembership(earlier);
  }
  for (let workspace = first; ; workspace = await getWorkspace(workspaceId)) {
    if (role === 'OWNER') assertOwner(workspace, authority);
    const replaced = await findReplaceableRow(workspace, user, context);
    markAffected(user.id);
    const fields = newRow(workspace, user, role === 'OWNER' ? null : role, { replaced, context });
    const told = withMemberEvent(context, 'member.added', { row: fields, workspace }, role);
    const row = await storeRow(fields, replaced, role === 'OWNER' ? unaudited(context) : told);
    if (!row) continue;
    if (role === 'OWNER') {
      if (!(await makeOwner(row, decision))) continue;
    } else if (replaced) {
      await invalidateReads(row, context);
    }
    return showMembership({ user, role, pending: row.pending, workspace, row });
  }
}

/** The membership that an attempt with the same `Idempotency-Key` has given. A row without a role is given again. */
async function findEarlierAttempt(
  workspace: StoredWorkspace,
  user: User,
  { reservedId }: ChangeContext,
): Promise<Member | null> {
  if (reservedId === undefined) return null;
  const row = await rowOf(workspace._id, user.id);
  const { role, pending } = membershipOf(workspace, row, user.id);
  return role && row?.reservedId === reservedId ? { user, role, pending, workspace, row } : null;
}

/** Makes the member OWNER in the workspace's document, because the new row has no role. False for a replaced row. */
async function makeOwner(row: StoredMember, decision: Decision): Promise<boolean> {
  for (;;) {
    const workspace = await getWorkspaceWithout(row);
    const stored = await rowOf(row.workspaceId, row.userId);
    if (stored?.joinedAt.getTime() !== row.joinedAt.getTime()) return false;
    const told = withMemberEvent(decision.context, 'member.added', { row, workspace }, 'OWNER');
    if (await grantOwnership(workspace, { ...decision, context: told }, row.pending)) return true;
  }
}
