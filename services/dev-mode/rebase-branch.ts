import type { Actor } from '../../contract/caller.ts';
import { systemChange } from '../../mixins/changes/change-context.ts';
import type { Update } from '../../mixins/changes/update.ts';
import type { DevModeBranchDocument } from '../../models/dev-mode-branch.model.ts';
import type { StoredStep } from '../workflow-steps/step-fields.ts';
import { areSameSteps } from '../workflow-steps/stored-steps.ts';
import { isClean, liveSteps } from './branch/branch-state.ts';
import { editingBy } from './branch/edit-step.ts';
import { type MergedState, rebase } from './branch/rebase.ts';
import { branches, type StoredBranch } from './branches.store.ts';
import { editMessage } from './history/record-edits.ts';
import { unlessGone } from './missing-branch.ts';

const REBASE = systemChange('dev-mode', 'dev-mode.followPublished', {
  none: 'the entry of the publication says it',
});

/** Published steps. */
export interface Publication {
  revision: number;
  steps: readonly StoredStep[];
}

/** Bases the branch on a publication, where it has the steps of its base or the published ones, and no pending publication. */
export const followPublication = (
  branch: StoredBranch,
  published: Publication,
  actor: Actor,
): Promise<void> =>
  change(branch, (current) => {
    const isPublished = areSameSteps(liveSteps(current), published.steps);
    const follows = !current.pendingPublication && (isClean(current) || isPublished);
    return follows ? rebaseOn(current, current, published, actor) : null;
  });

/** Bases the branch on published steps that have its edits already. `branch` is the branch whose edits they have. */
export const rebaseBranch = (
  branch: StoredBranch,
  published: Publication,
  actor: Actor,
): Promise<void> =>
  change(branch, (current) =>
    current.branchId === branch.branchId && !current.pendingPublication
      ? rebaseOn(current, branch, published, actor)
      : null,
  );

/**
 * Bases the branch on the publication that `branch` has pending, and drops the mark of that. The mark may be gone
 * already, where another publication has given this one up: the edits are told from the base of the mark all the same.
 */
export const completePublication = (
  branch: StoredBranch,
  published: Publication,
  actor: Actor,
): Promise<void> =>
  change(branch, (current) => {
    const { branchId, pendingPublication: pending } = branch;
    if (!pending || current.branchId !== branchId) return null;
    const rebased = rebaseOn(current, pending, published, actor);
    return hasMarkOf(current, branch) ? { ...rebased, unset: ['pendingPublication'] } : rebased;
  });

/** Drops the mark of a publication that has not come about. */
export const dropPublication = (branch: StoredBranch): Promise<void> =>
  change(branch, (current) =>
    hasMarkOf(current, branch) ? { unset: ['pendingPublication'] } : null,
  );

/** Whether the branch has the same pending publication as it had when it was read. */
const hasMarkOf = (current: StoredBranch, read: StoredBranch): boolean =>
  current.branchId === read.branchId &&
  current.pendingPublication !== undefined &&
  current.pendingPublication.id === read.pendingPublication?.id;

type BranchUpdate = Update<DevModeBranchDocument>;

function rebaseOn(
  current: StoredBranch,
  merged: MergedState,
  published: Publication,
  actor: Actor,
): BranchUpdate | null {
  if (current.baseRevision >= published.revision) return null;
  const editing = editingBy(actor);
  const state = rebase(current, merged, published, editing);
  if (state === current) return null;
  const { baseRevision, base, steps, edits, editedAt } = state;
  const edited = { state, key: null, kind: 'REBASED' } as const;
  const messages = edits > current.edits ? [editMessage(current, edited, editing.by)] : [];
  return { set: { baseRevision, base, steps, edits, editedAt }, messages };
}

/** Changes the branch, unless it has been discarded meanwhile. */
async function change(
  branch: StoredBranch,
  decide: (current: StoredBranch) => BranchUpdate | null,
): Promise<void> {
  await branches.change(branch, decide, REBASE).catch(unlessGone);
}
