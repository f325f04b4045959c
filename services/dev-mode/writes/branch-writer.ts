import { noWorkflow } from '../../../contract/problem.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { callerOf } from '../../../mixins/changes/change-store.ts';
import { busy } from '../../../mixins/changes/document-queue.ts';
import { GroupCommitQueue } from '../../../mixins/changes/group-commit-queue.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type BranchState, stateOf } from '../branch/branch-state.ts';
import { branches, type StoredBranch } from '../branches.store.ts';
import { removalMessage } from '../history/record-edits.ts';
import { isGone } from '../missing-branch.ts';
import type { WorkflowDirectory } from '../workflow-directory.ts';
import { applyGroup, type BranchEdit, type GroupOutcome } from './apply-group.ts';

/** Times that a group is begun again because its branch was made or discarded meanwhile. */
const MAX_ATTEMPTS = 5;

/** The change of a group. Its queue counts the service as the caller, and each edit has an audit entry of its own. */
const GROUP_CHANGE = systemChange('dev-mode', 'dev-mode.editStep', {
  none: 'each edit of the group has an entry of its own',
});

/** A branch right after an edit, and after all edits that were written with it. */
export interface WrittenEdit {
  state: BranchState;
  latest: BranchState;
}

type Outcome = PromiseSettledResult<WrittenEdit>;

/** Writes edits of branches: those of one branch that come at the same time share a write. */
export class BranchWriter {
  readonly #directory: Pick<WorkflowDirectory, 'find' | 'published'>;
  readonly #queue = new GroupCommitQueue<BranchEdit, WrittenEdit>((workflowId, edits) =>
    this.#writeGroup(workflowId, edits),
  );

  constructor(directory: Pick<WorkflowDirectory, 'find' | 'published'>) {
    this.#directory = directory;
  }

  /**
   * Edits the branch of a workflow; the first edit makes the branch. Throws 400, 412, 409 or 404 of the edit alone, the
   * 404 of the workflow, or 503 `BUSY`.
   */
  write(workflowId: number, edit: BranchEdit): Promise<WrittenEdit> {
    return this.#queue.run(workflowId, callerOf(edit.change), edit);
  }

  async #writeGroup(workflowId: number, edits: readonly BranchEdit[]): Promise<Outcome[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const branch = await branches.find(workflowId);
      const outcomes = branch
        ? await changeBranch(branch, edits)
        : await this.#createBranch(workflowId, edits);
      if (outcomes) return outcomes;
    }
    throw busy();
  }

  /** Makes the branch with the group's edits. Null when another process has made the branch meanwhile. */
  async #createBranch(workflowId: number, edits: readonly BranchEdit[]): Promise<Outcome[] | null> {
    const published = await this.#directory.published(workflowId);
    const { workspaceId } = published.workflow;
    const branchId = await nextId('dev_mode_branches');
    const before = stateOf(published);
    const group = await applyGroup(edits, before, { _id: workflowId, workspaceId, branchId });
    if (group.state === before) return outcomesOf(edits, group);
    const now = new Date();
    const times = { createdAt: now, updatedAt: now };
    const document = { _id: workflowId, branchId, workspaceId, ...group.state, ...times };
    try {
      const created = await branches.create(document, GROUP_CHANGE, () => group.messages);
      await this.#assertNotDeleted(workflowId, created);
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
    return outcomesOf(edits, group);
  }

  /** Removes a branch that was made after its workflow had been deleted: the deletion could not see the branch. */
  async #assertNotDeleted(workflowId: number, created: StoredBranch): Promise<void> {
    if (await this.#directory.find(workflowId)) return;
    await branches.remove(created, GROUP_CHANGE, { messages: [removalMessage(created)] });
    throw noWorkflow(workflowId);
  }
}

/** Writes the group to its branch. Null when the branch was discarded meanwhile. */
async function changeBranch(
  branch: StoredBranch,
  edits: readonly BranchEdit[],
): Promise<Outcome[] | null> {
  let group: GroupOutcome | undefined;
  const decide = async (current: StoredBranch) => {
    group = await applyGroup(edits, current, current);
    if (group.state === current) return null;
    const { steps, edits: count, editedAt } = group.state;
    return { set: { steps, edits: count, editedAt }, messages: group.messages };
  };
  try {
    await branches.change(branch, decide, GROUP_CHANGE);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
  return group ? outcomesOf(edits, group) : null;
}

const outcomesOf = (
  edits: readonly BranchEdit[],
  { results, state: latest }: GroupOutcome,
): Outcome[] =>
  edits.map((edit) => {
    const result = results.get(edit);
    return result?.status === 'fulfilled'
      ? { status: 'fulfilled', value: { state: result.value, latest } }
      : { status: 'rejected', reason: result?.reason };
  });
