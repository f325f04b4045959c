import type { StepProblem } from '../workflow-steps/step-fields.ts';
import { type BranchState, type Published, showSnapshot } from './branch/branch-state.ts';
import { diffOf } from './branch/diff.ts';
import { showSteps } from './branch/show-steps.ts';
import type { Branch } from './contract/resources.ts';

/** Shows a branch with its differences from what is published. */
export function showBranch(
  state: BranchState,
  { workflow, revision, steps }: Published,
  problems: readonly StepProblem[],
): Branch {
  return {
    workspaceId: workflow.workspaceId,
    workflowId: workflow.id,
    snapshot: showSnapshot(state),
    steps: showSteps(workflow.id, state),
    baseRevision: state.baseRevision,
    publishedRevision: revision,
    diff: diffOf(state, steps),
    problems: [...problems],
  };
}
