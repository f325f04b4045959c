import type { Actor } from '../../contract/caller.ts';
import { systemChange } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { StoredStep } from '../workflow-steps/step-fields.ts';
import { areSameSteps } from '../workflow-steps/stored-steps.ts';
import { isClean, liveSteps } from './branch/branch-state.ts';
import { rebase } from './branch/rebase.ts';
import { branches, type StoredBranch } from './branches.store.ts';
import { unlessGone } from './gone.ts';
import { editMessage } from './history/record-edits.ts';
import type { WorkflowDirectory } from './workflow-directory.ts';

const REBASE = systemChange('dev-mode', 'dev-mode.followPublished', {
  none: 'the entry of the publication says it',
});

interface Publication {
  revision: number;
  steps: readonly StoredStep[];
}

/**
 * Bases the branch on a publication that has taken in the edits of `merged`. A branch that has been discarded, or has
 * got another base since `merged` was read, stays as it is.
 */
export async function rebaseBranch(
  merged: StoredBranch,
  published: Publication,
  actor: Actor,
): Promise<void> {
  const decide = (current: StoredBranch) => {
    const isOther = current.branchId !== merged.branchId;
    if (isOther || current.baseRevision > published.revision) return null;
    const state = rebase(current, merged, published, { by: actor, at: new Date() });
    if (state === current) return null;
    const isSame = current.baseRevision === published.revision && state.edits === current.edits;
    if (isSame && areSameSteps(state.base, current.base)) return null;
    const edited = { state, key: null, kind: 'REBASED' } as const;
    const messages = state.edits > current.edits ? [editMessage(current, edited, actor)] : [];
    return { set: state, messages };
  };
  const branch = await branches.find(merged._id);
  if (branch) await branches.change(branch, decide, REBASE).catch(unlessGone);
}

/** Lets branches without differences, and branches that are published already, follow what is published. */
export async function followPublished(
  { entries }: Params<'dev-mode.followPublished'>,
  directory: Pick<WorkflowDirectory, 'findPublished'>,
): Promise<null> {
  for (const { workflowId, revision, actor } of entries) {
    const branch = await branches.find(workflowId);
    if (!branch || branch.baseRevision >= revision) continue;
    const published = await directory.findPublished(workflowId);
    if (!published) continue;
    const isPublished = areSameSteps(liveSteps(branch), published.steps);
    if (isClean(branch) || isPublished) await rebaseBranch(branch, published, actor);
  }
  return null;
}
