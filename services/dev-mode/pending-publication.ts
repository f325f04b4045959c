import type { Actor } from '../../contract/caller.ts';
import type { Params } from '../contracts.ts';
import { hashOfSteps } from '../workflow-steps/stored-steps.ts';
import type { Published } from './branch/branch-state.ts';
import { branches, type StoredBranch } from './branches.store.ts';
import { completePublication, dropPublication, followPublication } from './rebase-branch.ts';
import type { WorkflowDirectory } from './workflow-directory.ts';

/**
 * Completes the pending publication of a branch where it has come about, and drops its mark where another revision was
 * published or it counts as given up. False while the publication may still be under way.
 */
export async function settlePublication(
  branch: StoredBranch,
  published: Published,
  actor: Actor,
  isGivenUp = false,
): Promise<boolean> {
  const pending = branch.pendingPublication;
  if (!pending) return true;
  if (isPendingPublished(branch, published)) {
    await completePublication(branch, published, actor);
    return true;
  }
  if (published.revision < pending.revision && !isGivenUp) return false;
  await dropPublication(branch);
  return true;
}

/** Whether the published steps are those of the branch's pending publication. */
export const isPendingPublished = (
  { pendingPublication: pending }: StoredBranch,
  { revision, steps }: Published,
): boolean => pending?.revision === revision && pending.hash === hashOfSteps(steps);

/** Completes publications of branches, and lets branches without differences follow what is published. */
export async function followPublished(
  { entries }: Params<'dev-mode.followPublished'>,
  directory: Pick<WorkflowDirectory, 'findPublished'>,
): Promise<null> {
  for (const { workflowId, revision, actor } of entries) {
    const branch = await branches.find(workflowId);
    if (!branch || branch.baseRevision >= revision) continue;
    const published = await directory.findPublished(workflowId);
    if (!published) continue;
    if (branch.pendingPublication) await settlePublication(branch, published, actor);
    else await followPublication(branch, published, actor);
  }
  return null;
}
