import { randomUUID } from 'node:crypto';
import { Busy, isProblem } from '../../contract/problem.ts';
import { type ChangeContext, systemChange } from '../../mixins/changes/change-context.ts';
import { busy } from '../../mixins/changes/document-queue.ts';
import type { StepChecks } from '../workflow-steps/check-steps.ts';
import type { StoredStep, WorkflowSteps } from '../workflow-steps/step-fields.ts';
import { areSameSteps, hashOfSteps, showStep, storedStep } from '../workflow-steps/stored-steps.ts';
import { liveSteps, type Published } from './branch/branch-state.ts';
import { mergeSteps } from './branch/merge.ts';
import { branches, getBranch, type StoredBranch } from './branches.store.ts';
import { hasConflicts, hasProblems } from './dev-mode.problems.ts';
import { OtherPublications } from './other-publications.ts';
import { completePublication, dropPublication, rebaseBranch } from './rebase-branch.ts';
import type { WorkflowDirectory } from './workflow-directory.ts';

/** Milliseconds after which a publication that waits for another one, or is overtaken again and again, is refused. */
const TIMEOUT_MS = 6_000;

const MARK = systemChange('dev-mode', 'dev-mode.publish', {
  none: 'the entry of the publication says it',
});

interface Tools {
  directory: Pick<WorkflowDirectory, 'published' | 'publish'>;
  checks: Pick<StepChecks, 'problemsOf'>;
}

/**
 * Publishes a branch, as a chain of three changes: the branch is marked with what it publishes, the merged steps are
 * published in place of the revision that was read, and the branch is based on them. After a crash the mark lets the
 * next publication, or the message of this one, complete the chain. Publications of one branch follow one another.
 */
export async function publishBranch(
  workflowId: number,
  change: ChangeContext,
  { directory, checks }: Tools,
): Promise<WorkflowSteps> {
  const until = performance.now() + TIMEOUT_MS;
  const others = new OtherPublications(change.actor);
  while (performance.now() < until) {
    // The branch is read last: an older branch beside newer published steps would be in conflict with its own publication.
    const published = await directory.published(workflowId);
    const branch = await getBranch(workflowId);
    if (branch.baseRevision > published.revision) continue;
    if (!(await others.settle(branch, published))) continue;
    const steps = await merge(branch, published, checks);
    if (areSameSteps(steps, published.steps)) {
      await rebaseBranch(branch, published, change.actor).catch(unlessBusy);
      return { revision: published.revision, steps: steps.map(showStep) };
    }
    const revision = published.revision + 1;
    const marked = await mark(branch, revision, steps);
    if (!marked) continue;
    const { actor, via, operation, requestId } = change;
    const request = { actor, via, operation, requestId };
    const expectedRevision = published.revision;
    if (await directory.publish({ workflowId, expectedRevision, steps, request })) {
      await completePublication(marked, { revision, steps }, actor).catch(unlessBusy);
      return { revision, steps: steps.map(showStep) };
    }
    await dropPublication(marked);
  }
  throw busy('Other publications of this workflow are under way.');
}

/** The steps that the publication of the branch would publish. Throws 409 for conflicts and problems. */
async function merge(
  branch: StoredBranch,
  published: Published,
  checks: Pick<StepChecks, 'problemsOf'>,
): Promise<StoredStep[]> {
  const ours = liveSteps(branch).map(storedStep);
  const { steps, conflicts } = mergeSteps({ base: branch.base, ours, theirs: published.steps });
  if (conflicts.length) throw hasConflicts(conflicts, published.revision);
  if (areSameSteps(steps, published.steps)) return steps;
  const problems = await checks.problemsOf(branch.workspaceId, steps);
  if (problems.length) throw hasProblems(problems);
  return steps;
}

/** Marks the branch with its publication. Null for a branch that has another mark, another base, or is gone meanwhile. */
async function mark(
  branch: StoredBranch,
  revision: number,
  steps: readonly StoredStep[],
): Promise<StoredBranch | null> {
  const id = randomUUID();
  const { branchId, baseRevision } = branch;
  const own = liveSteps(branch).map(({ key, hash }) => ({ key, hash }));
  const made = { revision, hash: hashOfSteps(steps), baseRevision, steps: own };
  const pendingPublication = { id, ...made };
  const decide = (current: StoredBranch) =>
    current.branchId !== branchId ||
    current.baseRevision !== baseRevision ||
    current.pendingPublication
      ? null
      : { set: { pendingPublication } };
  const marked = await branches.change(branch, decide, MARK);
  return marked.pendingPublication?.id === id ? marked : null;
}

/** Throws any error but 503 `BUSY`: the message of a publication bases the branch on it later. */
function unlessBusy(error: unknown): void {
  if (!isProblem(error, Busy)) throw error;
}
