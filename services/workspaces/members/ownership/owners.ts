import type { ChangeContext } from '../../../../mixins/changes/change-context.ts';
import type { Update } from '../../../../mixins/changes/update.ts';
import type { WorkspaceDocument } from '../../../../models/workspace.model.ts';
import { lastOwner, notAllowed } from '../../workspaces.problems.ts';
import { type StoredWorkspace, workspaces } from '../../workspaces.store.ts';
import { type Authority, isSelf } from '../authority.ts';
import { rowOf, unaudited } from '../members.store.ts';

/*
 * Each function of this file decides about members or OWNERs by one conditional write of the workspace's document.
 * The write takes effect only if the workspace was not written since `workspace` was read.
 *
 * A caller reads the workspace first and the member's row afterwards. So no decision takes effect that rests on a row
 * which a removal has emptied since. `false` means that another request wrote the workspace since the read: the
 * caller reads both documents again.
 */

/** A decision about one user, with the authority and the request of the decision. */
export interface Decision {
  userId: number;
  authority: Authority;
  /** The request of the decision, for the audit log. An unaudited context adds no audit entry. */
  context: ChangeContext;
}

async function decide(
  workspace: StoredWorkspace,
  { userId, context }: Pick<Decision, 'userId' | 'context'>,
  update: Update<WorkspaceDocument>,
): Promise<boolean> {
  const resource = { id: userId, workspaceId: workspace._id };
  const decided = await workspaces.tryChange(
    workspace,
    { ...update, resource, changed: ['role'] },
    context,
  );
  return decided !== null;
}

/** Throws unless the authority is an OWNER or the system. `takeOwnership` lets an OWNER give up the own role. */
export function assertOwner(
  { ownerIds }: Pick<StoredWorkspace, 'ownerIds'>,
  authority: Authority,
): void {
  if (authority.kind === 'system') return;
  if (authority.kind === 'service-account' || !ownerIds.includes(authority.userId)) {
    throw notAllowed('Only an OWNER may give or take the role OWNER.');
  }
}

/** Makes a member OWNER, or a pending OWNER while the member's address is not verified. */
export async function grantOwnership(
  workspace: StoredWorkspace,
  decision: Decision,
  pending: boolean,
): Promise<boolean> {
  const { userId, authority } = decision;
  assertOwner(workspace, authority);
  if (!pending) {
    return decide(workspace, decision, {
      addToSet: { ownerIds: userId },
      pull: { pendingOwnerIds: userId },
    });
  }
  const granted = await decide(workspace, decision, { addToSet: { pendingOwnerIds: userId } });
  // No later step checks a row that was confirmed since the read, so the OWNER of such a row is activated here.
  const confirmed = granted && (await rowOf(workspace._id, userId))?.pending === false;
  if (confirmed) await activatePendingOwner(workspace._id, userId, decision.context);
  return granted;
}

/** Takes the role OWNER from a user, pending or not, while another OWNER is left. */
export async function takeOwnership(
  workspace: StoredWorkspace,
  decision: Decision,
): Promise<boolean> {
  const { userId, authority } = decision;
  const isOwner = workspace.ownerIds.includes(userId);
  if (isOwner && workspace.ownerIds.length === 1) throw lastOwner();
  if (!isSelf(authority, userId)) assertOwner(workspace, authority);
  return decide(workspace, decision, { pull: { ownerIds: userId, pendingOwnerIds: userId } });
}

/** Whether the workspace names the user as OWNER or as pending OWNER. */
export const isOwnerOrPending = (
  { ownerIds, pendingOwnerIds }: StoredWorkspace,
  userId: number,
): boolean => ownerIds.includes(userId) || pendingOwnerIds.includes(userId);

/** Ends a membership. Every later decision based on an earlier read of the membership fails. */
export const endMembership = (workspace: StoredWorkspace, decision: Decision): Promise<boolean> =>
  isOwnerOrPending(workspace, decision.userId)
    ? takeOwnership(workspace, decision)
    : outdateReads(workspace, decision);

/** Writes the workspace, so that every decision based on an earlier read of the workspace fails. */
export const outdateReads = (
  workspace: StoredWorkspace,
  decision: Pick<Decision, 'userId' | 'context'>,
): Promise<boolean> => decide(workspace, decision, {});

/** Makes a pending OWNER whose row is active an OWNER. A repeated call has no further effect. */
export async function activatePendingOwner(
  workspaceId: number,
  userId: number,
  context: ChangeContext,
): Promise<void> {
  const update = { pull: { pendingOwnerIds: userId }, addToSet: { ownerIds: userId } };
  for (;;) {
    const workspace = await workspaces.find(workspaceId);
    if (!workspace?.pendingOwnerIds.includes(userId)) return;
    const row = await rowOf(workspaceId, userId);
    if (!row || row.pending) return;
    if (await decide(workspace, { userId, context: unaudited(context) }, update)) return;
  }
}
