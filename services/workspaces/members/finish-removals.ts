import { MemberModel } from '../../../models/member.model.ts';
import { workspaces } from '../workspaces.store.ts';
import { members, unaudited } from './members.store.ts';
import { isOwnerOrPending, outdateReads } from './ownership/owners.ts';
import { contextOf, type RowInRemoval, removeRow } from './removal.ts';

/** Milliseconds from the start of a removal; beyond them the removal counts as interrupted. */
const REMOVAL_TIMEOUT_MS = 30_000;
/** Rows of one sweep; further rows wait for the next sweep. */
const SWEEP_SIZE = 100;

/** Finishes interrupted removals of members. Several processes may call this function at once. */
export async function finishRemovals(): Promise<void> {
  const due = new Date(Date.now() - REMOVAL_TIMEOUT_MS);
  const rows = await MemberModel.find({ 'removal.at': { $lte: due } }, members.projection)
    .limit(SWEEP_SIZE)
    .lean<RowInRemoval[]>();
  for (const row of rows) await finishRemoval(row);
}

/**
 * Removes the row, or cancels the removal when the user is OWNER. The workspace is written first, so that a removal
 * still in flight decides again and a grant of OWNER based on the row fails. A conflicting write leaves the row to
 * the next sweep.
 */
async function finishRemoval(row: RowInRemoval): Promise<void> {
  const { workspaceId, userId, removal } = row;
  const workspace = await workspaces.find(workspaceId);
  if (!workspace) return;
  const context = unaudited(contextOf(removal));
  if (!(await outdateReads(workspace, { userId, context }))) return;
  if (isOwnerOrPending(workspace, userId)) {
    await members.tryChange(row, { unset: ['removal'] }, context);
  } else {
    await removeRow(row, workspace);
  }
}
