import { MemberModel } from '../../../models/member.model.ts';
import { workspaces } from '../workspaces.store.ts';
import { members, unaudited } from './members.store.ts';
import { isOwnerOrPending, outdateReads } from './ownership/owners.ts';
import { contextOf, type RowInRemoval, removeRow } from './removal.ts';

/** Milliseconds after which a removal counts as cut off. */
const REMOVAL_TIMEOUT_MS = 30_000;
/** Rows that one sweep looks at; the others wait for the next sweep. */
const SWEEP_SIZE = 100;

/** Finishes the removals of members that were cut off. Several processes may do so at once. */
export async function finishRemovals(): Promise<void> {
  const due = new Date(Date.now() - REMOVAL_TIMEOUT_MS);
  const rows = await MemberModel.find({ 'removal.at': { $lte: due } }, members.projection)
    .limit(SWEEP_SIZE)
    .lean<RowInRemoval[]>();
  for (const row of rows) await finishRemoval(row);
}

/**
 * Removes the row, or gives the removal up when the user is OWNER. The workspace is written first: a removal
 * which is under way after all has to decide again, and a grant of OWNER that rests on the row fails. A
 * write that misses leaves the row to the next sweep.
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
