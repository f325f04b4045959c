import type { UpdateQuery } from 'mongoose';
import { type WorkspaceDocument, WorkspaceModel } from '../../../../models/workspace.model.ts';
import { lastOwner, notAllowed } from '../../workspaces.problems.ts';
import { type Authority, isSelf } from '../authority.ts';
import { type Owners, rowOf } from './membership.ts';

/*
 * Each function of this file decides who is a member or OWNER by one conditional update of the workspace's
 * document. The update counts only if no other decision was made since `owners` was read.
 *
 * A caller reads the workspace first and the member's row afterwards. So no decision rests on a row that a
 * removal has emptied since. `false` means that another decision was made meanwhile: the caller reads both
 * documents again.
 */

async function decide(owners: Owners, update: UpdateQuery<WorkspaceDocument>): Promise<boolean> {
  const { matchedCount } = await WorkspaceModel.updateOne(
    { _id: owners._id, decisions: owners.decisions ?? null },
    { ...update, $inc: { decisions: 1 } },
  );
  return matchedCount > 0;
}

/** Only an OWNER gives or takes the role OWNER. The functions below let any OWNER give up their own. */
export function assertOwner({ ownerIds }: Owners, authority: Authority): void {
  if (authority.kind === 'system') return;
  if (authority.kind === 'service-account' || !ownerIds.includes(authority.userId)) {
    throw notAllowed('Only an OWNER may give or take the role OWNER.');
  }
}

/** Makes a member OWNER, or a pending OWNER while the member's address is not verified. */
export async function grantOwnership(
  owners: Owners,
  userId: number,
  authority: Authority,
  pending: boolean,
): Promise<boolean> {
  assertOwner(owners, authority);
  if (!pending) {
    return decide(owners, {
      $addToSet: { ownerIds: userId },
      $pull: { pendingOwnerIds: userId },
    });
  }
  const granted = await decide(owners, { $addToSet: { pendingOwnerIds: userId } });
  // A row that was confirmed since it was read is not looked at again: its OWNER is activated here.
  const confirmed = granted && (await rowOf(owners._id, userId))?.pending === false;
  if (confirmed) await activatePendingOwner(owners._id, userId);
  return granted;
}

/** Takes the role OWNER from a user, pending or not, while another OWNER is left. */
export async function takeOwnership(
  owners: Owners,
  userId: number,
  authority: Authority,
): Promise<boolean> {
  const isOwner = owners.ownerIds.includes(userId);
  if (isOwner && owners.ownerIds.length === 1) throw lastOwner();
  if (!isSelf(authority, userId)) assertOwner(owners, authority);
  return decide(owners, { $pull: { ownerIds: userId, pendingOwnerIds: userId } });
}

/** Whether the workspace names the user as OWNER or as pending OWNER. */
export const isOwnerOrPending = ({ ownerIds, pendingOwnerIds }: Owners, userId: number): boolean =>
  ownerIds.includes(userId) || pendingOwnerIds.includes(userId);

/** Ends a membership. Every decision that rests on an earlier read of the membership fails afterwards. */
export const endMembership = (
  owners: Owners,
  userId: number,
  authority: Authority,
): Promise<boolean> =>
  isOwnerOrPending(owners, userId) ? takeOwnership(owners, userId, authority) : decide(owners, {});

/**
 * Makes a pending OWNER an OWNER. No number of decisions is compared: the grant was decided before, and
 * only an update that takes the role OWNER away can undo it.
 */
export async function activatePendingOwner(workspaceId: number, userId: number): Promise<void> {
  await WorkspaceModel.updateOne(
    { _id: workspaceId, pendingOwnerIds: userId },
    {
      $pull: { pendingOwnerIds: userId },
      $addToSet: { ownerIds: userId },
      $inc: { decisions: 1 },
    },
  );
}
