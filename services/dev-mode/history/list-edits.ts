import { ascendingBy } from '../../../contract/page-order.ts';
import { type Position, positionOf } from '../../../contract/page-position.ts';
import { type Page, pageFrom } from '../../../contract/pages.ts';
import { readRows } from '../../../mixins/database/read-page.ts';
import type { OutboxEntry } from '../../../models/changed-document.ts';
import { DevModeBranchModel } from '../../../models/dev-mode-branch.model.ts';
import { type DevModeEditDocument, DevModeEditModel } from '../../../models/dev-mode-edit.model.ts';
import type { StoredBranch } from '../branches.store.ts';
import type { RecordedEdit } from '../contract/internal.ts';
import type { Edit } from '../contract/resources.ts';
import { RECORD_EDITS, rowOf } from './record-edits.ts';

const BY_NUMBER = ascendingBy('n');

/** A page of the edits of a branch, from the first on. */
export async function listEdits(
  { _id, branchId }: Pick<StoredBranch, '_id' | 'branchId'>,
  position: Position,
): Promise<Page<Edit>> {
  const from = positionOf(position);
  // The outbox is read first: an edit that is moved meanwhile is then read twice rather than never.
  const waiting = (await findWaiting(_id, branchId)).filter(({ n }) => n > from);
  const query = { filter: { branchId }, order: BY_NUMBER, position };
  const moved = await readRows<DevModeEditDocument, DevModeEditDocument>(DevModeEditModel, query);
  const byNumber = new Map([...moved, ...waiting].map((row) => [row.n, row]));
  const rows = [...byNumber.values()].sort((a, b) => a.n - b.n).slice(0, position.limit + 1);
  return pageFrom(rows, position.limit, showEdit, BY_NUMBER.cursorOf);
}

/** The edits of a branch that still wait in its outbox, which may have edits of a discarded branch as well. */
async function findWaiting(_id: number, branchId: number): Promise<DevModeEditDocument[]> {
  const branch = await DevModeBranchModel.findOne({ _id, branchId }, { outbox: 1 }).lean();
  const edits = (branch?.outbox ?? []).filter(isEdit).map(({ params }) => rowOf(params));
  return edits.filter((edit) => edit.branchId === branchId);
}

const isEdit = (entry: OutboxEntry): entry is OutboxEntry & { params: RecordedEdit } =>
  'call' in entry && entry.call === RECORD_EDITS;

function showEdit(edit: DevModeEditDocument): Edit {
  const { n, hash, stepCount, key, kind, actor, editedAt } = edit;
  const at = editedAt.toISOString();
  const snapshot = { id: n, hash, createdAt: at, stepCount };
  return { snapshot, key, kind, updatedBy: actor, updatedAt: at };
}
