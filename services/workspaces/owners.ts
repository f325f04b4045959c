import { noWorkspace } from '../../mixins/problem.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import type { Authority } from './authority.ts';
import { ownersOf } from './standing.ts';
import { lastOwner, notAllowed } from './workspaces.problems.ts';

const stillOwner = (by: Authority) => (by.userId === null ? {} : { ownerIds: by.userId });
const noLongerOwner = () => notAllowed('Only an OWNER may give or take the role OWNER.');

/**
 * Makes somebody OWNER, or OWNER to be while their address is not verified. The same update asks
 * whether who gives it is still an OWNER.
 */
export async function grantOwnership(
  workspaceId: number,
  userId: number,
  by: Authority,
  pending: boolean,
): Promise<void> {
  const { matchedCount } = await WorkspaceModel.updateOne(
    { _id: workspaceId, ...stillOwner(by) },
    pending
      ? { $addToSet: { pendingOwnerIds: userId } }
      : { $addToSet: { ownerIds: userId }, $pull: { pendingOwnerIds: userId } },
  );
  if (matchedCount === 0) throw noLongerOwner();
}

/**
 * Takes OWNER from somebody. One conditional update decides: another owner is left, and who takes it
 * is one still. So of two owners who demote one another at once one succeeds. Repeatable.
 */
export async function takeOwnership(
  workspaceId: number,
  userId: number,
  by: Authority,
): Promise<void> {
  const { matchedCount } = await WorkspaceModel.updateOne(
    {
      _id: workspaceId,
      ownerIds: { $all: by.userId === null ? [userId] : [userId, by.userId] },
      'ownerIds.1': { $exists: true },
    },
    { $pull: { ownerIds: userId } },
  );
  if (matchedCount === 0) await explainRefusal(workspaceId, userId);
}

async function explainRefusal(workspaceId: number, userId: number): Promise<void> {
  const owners = await ownersOf(workspaceId);
  if (!owners) throw noWorkspace(workspaceId);
  if (!owners.ownerIds.includes(userId)) return; // somebody else took it meanwhile
  if (owners.ownerIds.length === 1) throw lastOwner();
  throw noLongerOwner();
}

/** Takes back a promise of OWNER. Whether it was kept meanwhile: then there is OWNER to take. */
export async function takePromise(workspaceId: number, userId: number): Promise<boolean> {
  const { modifiedCount } = await WorkspaceModel.updateOne(
    { _id: workspaceId, pendingOwnerIds: userId },
    { $pull: { pendingOwnerIds: userId } },
  );
  return modifiedCount === 0;
}
