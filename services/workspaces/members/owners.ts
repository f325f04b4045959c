import type { UpdateQuery } from 'mongoose';
import { type WorkspaceDocument, WorkspaceModel } from '../../../models/workspace.model.ts';
import { lastOwner, notAllowed } from '../workspaces.problems.ts';
import { type Authority, isSelf } from './authority.ts';
import { type Owners, rowOf } from './membership.ts';

/*
 * Each function here is one decision on who is a member and who OWNER, and one conditional update of the
 * workspace's own document: it counts only if nothing was decided since `owners` was read. Whoever decides
 * reads the workspace first, then the member's row, so that no decision rests on a row which a removal
 * has emptied since. False: something was decided meanwhile; read again.
 */

async function decide(owners: Owners, change: UpdateQuery<WorkspaceDocument>): Promise<boolean> {
  const { matchedCount } = await WorkspaceModel.updateOne(
    { _id: owners._id, decisions: owners.decisions ?? null },
    { ...change, $inc: { decisions: 1 } },
  );
  return matchedCount > 0;
}

/** Only an OWNER gives or takes OWNER; anyone may give up their own. */
export function assertOwner({ ownerIds }: Owners, by: Authority): void {
  if (by.kind === 'system') return;
  if (by.kind === 'service-account' || !ownerIds.includes(by.userId)) {
    throw notAllowed('Only an OWNER may give or take the role OWNER.');
  }
}

/** Makes a member OWNER, or OWNER to be while their address is not verified. */
export async function grantOwnership(
  owners: Owners,
  userId: number,
  by: Authority,
  pending: boolean,
): Promise<boolean> {
  assertOwner(owners, by);
  if (!pending) {
    return decide(owners, {
      $addToSet: { ownerIds: userId },
      $pull: { pendingOwnerIds: userId },
    });
  }
  const granted = await decide(owners, { $addToSet: { pendingOwnerIds: userId } });
  // Verified since it was read: then nobody else looks for the promise any more.
  const verified = granted && (await rowOf(owners._id, userId))?.pending === false;
  if (verified) await activatePendingOwner(owners._id, userId);
  return granted;
}

/** Takes OWNER from somebody, or the promise of it, while another owner is left. */
export async function takeOwnership(
  owners: Owners,
  userId: number,
  by: Authority,
): Promise<boolean> {
  const isOwner = owners.ownerIds.includes(userId);
  if (isOwner && owners.ownerIds.length === 1) throw lastOwner();
  if (!isSelf(by, userId)) assertOwner(owners, by);
  return decide(owners, { $pull: { ownerIds: userId, pendingOwnerIds: userId } });
}

/** Whether somebody is OWNER or will be, as soon as a row of theirs waits for its address. */
export const isPromised = ({ ownerIds, pendingOwnerIds }: Owners, userId: number): boolean =>
  ownerIds.includes(userId) || pendingOwnerIds.includes(userId);

/** Ends what somebody is in a workspace: what was read of them before does not count from here on. */
export const endStanding = (owners: Owners, userId: number, by: Authority): Promise<boolean> =>
  isPromised(owners, userId) ? takeOwnership(owners, userId, by) : decide(owners, {});

/** Makes who was promised it OWNER. It was decided when it was promised; only taking it goes before. */
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
