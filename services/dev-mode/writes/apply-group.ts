import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { auditMessage, type OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { assertMatches } from '../../../mixins/changes/precondition.ts';
import type { BranchState } from '../branch/branch-state.ts';
import { type Edited, type Editing, editingBy } from '../branch/edit-step.ts';
import type { StoredBranch } from '../branches.store.ts';
import { editMessage } from '../history/record-edits.ts';

/** An edit that a request wants. */
export interface BranchEdit {
  /** Makes the edit of a state. Throws the refusal of the request. */
  apply: (state: BranchState, editing: Editing) => Edited;
  /** Throws the conflict of the request with the state, such as a stale revision. */
  assertCurrent?: (state: BranchState) => void;
  /** The representation whose ETag `If-Match` names. */
  show: (state: BranchState) => unknown;
  change: ChangeContext;
}

/** The results of a group of edits, and what is to be written of them. */
export interface GroupOutcome {
  /** The state after all edits; the same object as before them when none changes anything. */
  state: BranchState;
  /** The state after each edit, or its refusal. */
  results: ReadonlyMap<BranchEdit, PromiseSettledResult<BranchState>>;
  messages: readonly OutboxMessage[];
}

type BranchIds = Pick<StoredBranch, '_id' | 'workspaceId' | 'branchId'>;

/** Applies edits one after another. One that is refused leaves the others. */
export async function applyGroup(
  edits: readonly BranchEdit[],
  before: BranchState,
  ids: BranchIds,
): Promise<GroupOutcome> {
  let state = before;
  const results = new Map<BranchEdit, PromiseSettledResult<BranchState>>();
  const messages: OutboxMessage[] = [];
  const resource = { id: ids._id, workspaceId: ids.workspaceId };
  for (const edit of edits) {
    const { apply, assertCurrent, show, change } = edit;
    try {
      const editing = editingBy(change.actor);
      const edited = apply(state, editing);
      await assertMatches(state, change, show);
      assertCurrent?.(state);
      if (edited) {
        state = edited.state;
        messages.push(...auditMessage(change, resource, ['steps']));
        messages.push(editMessage(ids, edited, editing.by));
      }
      results.set(edit, { status: 'fulfilled', value: state });
    } catch (reason) {
      results.set(edit, { status: 'rejected', reason });
    }
  }
  return { state, results, messages };
}
