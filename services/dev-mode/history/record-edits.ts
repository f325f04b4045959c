import type { Actor } from '../../../contract/caller.ts';
import type { OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { DevModeBranchModel } from '../../../models/dev-mode-branch.model.ts';
import {
  type DevModeEditDocument,
  DevModeEditModel,
  devModeEditId,
} from '../../../models/dev-mode-edit.model.ts';
import type { Params } from '../../contracts.ts';
import { showSnapshot } from '../branch/branch-state.ts';
import type { Edited } from '../branch/edit-step.ts';
import type { StoredBranch } from '../branches.store.ts';
import type { RecordedEdit } from '../contract/internal.ts';

/*
 * An edit is written with its branch, as an entry of the outbox, so that the history lacks no acknowledged edit. The
 * outbox hands its entries to `dev-mode.recordEdits`, which writes their rows.
 */

export const RECORD_EDITS = 'dev-mode.recordEdits';

type BranchIds = Pick<StoredBranch, '_id' | 'workspaceId' | 'branchId'>;

/** The message that keeps an edit in the history. */
export function editMessage(
  { _id: workflowId, workspaceId, branchId }: BranchIds,
  { state, key, kind }: NonNullable<Edited>,
  actor: Actor,
): OutboxMessage {
  const { id: n, hash, stepCount, createdAt: editedAt } = showSnapshot(state);
  const snapshot = { n, hash, stepCount, editedAt };
  const ids = { workspaceId, workflowId, branchId };
  const params: RecordedEdit = { ...ids, ...snapshot, key, kind, actor };
  return { call: RECORD_EDITS, params };
}

/** The message that removes the history of a branch. */
export const removalMessage = ({ branchId }: Pick<BranchIds, 'branchId'>): OutboxMessage => ({
  call: 'dev-mode.removeEdits',
  params: { branchId },
});

/**
 * Writes rows of edits. A row that there is already stays. The removal of a discarded branch's history may have come
 * first, so that the rows of branches which are gone are removed again.
 */
export async function recordEdits({ entries }: Params<'dev-mode.recordEdits'>): Promise<null> {
  const rows = entries.map(rowOf);
  try {
    await DevModeEditModel.collection.insertMany(rows as never, { ordered: false });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const gone = await findGone(entries);
  if (gone.length) await DevModeEditModel.deleteMany({ branchId: { $in: gone } });
  return null;
}

/** The ids of the branches of edits that have been discarded. */
async function findGone(edits: readonly RecordedEdit[]): Promise<number[]> {
  const workflowIds = [...new Set(edits.map(({ workflowId }) => workflowId))];
  const found = await DevModeBranchModel.find(
    { _id: { $in: workflowIds }, removedAt: null },
    { branchId: 1 },
  ).lean();
  const present = new Set(found.map(({ branchId }) => branchId));
  return [...new Set(edits.map(({ branchId }) => branchId))].filter((id) => !present.has(id));
}

export async function removeEdits({ entries }: Params<'dev-mode.removeEdits'>): Promise<null> {
  const ids = entries.map(({ branchId }) => branchId);
  await DevModeEditModel.deleteMany({ branchId: { $in: ids } });
  return null;
}

/** The row of an edit. Entries of an outbox have further fields. */
export function rowOf(edit: RecordedEdit): DevModeEditDocument {
  const { workspaceId, branchId, n, hash, stepCount, key, kind, actor, editedAt } = edit;
  const snapshot = { n, hash, stepCount, editedAt: new Date(editedAt) };
  const _id = devModeEditId(branchId, n);
  return { _id, workspaceId, branchId, ...snapshot, key, kind, actor };
}
