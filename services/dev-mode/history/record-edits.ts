import type { Actor } from '../../../contract/caller.ts';
import type { OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
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

type BranchIds = Pick<StoredBranch, 'workspaceId' | 'branchId'>;

/** The message that keeps an edit in the history. */
export function editMessage(
  { workspaceId, branchId }: BranchIds,
  { state, key, kind }: NonNullable<Edited>,
  actor: Actor,
): OutboxMessage {
  const { id: n, hash, stepCount, createdAt: editedAt } = showSnapshot(state);
  const snapshot = { n, hash, stepCount, editedAt };
  const params: RecordedEdit = { workspaceId, branchId, ...snapshot, key, kind, actor };
  return { call: RECORD_EDITS, params };
}

/** The message that removes the history of a branch. */
export const removalMessage = ({ branchId }: BranchIds): OutboxMessage => ({
  call: 'dev-mode.removeEdits',
  params: { branchId },
});

/** Writes rows of edits. A row that there is already stays. */
export async function recordEdits({ entries }: Params<'dev-mode.recordEdits'>): Promise<null> {
  const rows = entries.map(rowOf);
  try {
    await DevModeEditModel.collection.insertMany(rows as never, { ordered: false });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  return null;
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
