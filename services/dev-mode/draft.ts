import type { Actions } from '../contracts.ts';
import type { StepChecks } from '../workflow-steps/check-steps.ts';
import { storedStep } from '../workflow-steps/stored-steps.ts';
import { liveSteps } from './branch/branch-state.ts';
import { getBranch } from './branches.store.ts';
import { hasProblems } from './dev-mode.problems.ts';

/** The steps of a branch, for a run of the draft. Throws 409 for a branch with problems. */
export async function getDraft(
  workflowId: number,
  checks: Pick<StepChecks, 'problemsOf'>,
): Promise<Actions['dev-mode.draftToRun']['result']> {
  const branch = await getBranch(workflowId);
  const steps = liveSteps(branch).map(storedStep);
  const problems = await checks.problemsOf(branch.workspaceId, steps);
  if (problems.length) throw hasProblems(problems);
  return { snapshotId: branch.edits, steps };
}
