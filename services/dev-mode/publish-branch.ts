import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { busy } from '../../mixins/changes/document-queue.ts';
import type { StepChecks } from '../workflow-steps/check-steps.ts';
import type { WorkflowSteps } from '../workflow-steps/step-fields.ts';
import { areSameSteps, showStep, storedStep } from '../workflow-steps/stored-steps.ts';
import { liveSteps, type Published } from './branch/branch-state.ts';
import { mergeSteps } from './branch/merge.ts';
import { getBranch, type StoredBranch } from './branches.store.ts';
import { hasConflicts, hasProblems } from './dev-mode.problems.ts';
import { rebaseBranch } from './rebase-branch.ts';
import type { WorkflowDirectory } from './workflow-directory.ts';

/** Times that a merge is made again because the published steps have moved meanwhile. */
const MAX_ATTEMPTS = 5;

interface Tools {
  directory: Pick<WorkflowDirectory, 'published' | 'publish'>;
  checks: Pick<StepChecks, 'problemsOf'>;
}

/**
 * Publishes a branch: merges its steps with what is published, publishes the result in place of the revision that was
 * read, and bases the branch on it. A crash before the last step leaves a branch whose next publication changes nothing.
 */
export async function publishBranch(
  workflowId: number,
  change: ChangeContext,
  { directory, checks }: Tools,
): Promise<WorkflowSteps> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const branch = await getBranch(workflowId);
    const published = await directory.published(workflowId);
    const steps = await merge(branch, published, checks);
    const isMoved = !areSameSteps(steps, published.steps);
    const revision = isMoved ? published.revision + 1 : published.revision;
    if (isMoved) {
      const { actor, via, operation, requestId } = change;
      const request = { actor, via, operation, requestId };
      const expectedRevision = published.revision;
      const isDone = await directory.publish({ workflowId, expectedRevision, steps, request });
      if (!isDone) continue;
    }
    await rebaseBranch(branch, { revision, steps }, change.actor);
    return { revision, steps: steps.map(showStep) };
  }
  throw busy('What is published changes too often at the moment.');
}

/** The steps that the publication of the branch would publish. Throws 409 for conflicts and problems. */
async function merge(
  branch: StoredBranch,
  published: Published,
  checks: Pick<StepChecks, 'problemsOf'>,
) {
  const ours = liveSteps(branch).map(storedStep);
  const { steps, conflicts } = mergeSteps({ base: branch.base, ours, theirs: published.steps });
  if (conflicts.length) throw hasConflicts(conflicts, published.revision);
  if (areSameSteps(steps, published.steps)) return steps;
  const problems = await checks.problemsOf(branch.workspaceId, steps);
  if (problems.length) throw hasProblems(problems);
  return steps;
}
