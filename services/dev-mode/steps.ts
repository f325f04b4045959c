import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { staleRevision } from '../workflow-steps/step-problems.ts';
import { storeStep } from '../workflow-steps/stored-steps.ts';
import { type BranchState, showSnapshot, stateOf } from './branch/branch-state.ts';
import { editStep, removeStep } from './branch/edit-step.ts';
import { showStep, showSteps } from './branch/show-steps.ts';
import { branches } from './branches.store.ts';
import type { BranchSnapshot, DevModeStep, StepMutation } from './contract/resources.ts';
import { noStep } from './dev-mode.problems.ts';
import type { LatestChecks } from './latest-checks.ts';
import type { WorkflowDirectory } from './workflow-directory.ts';
import type { BranchWriter } from './writes/branch-writer.ts';

interface Workflow {
  id: number;
  workspaceId: number;
}

/** A step of the branch; without a branch, the published step. */
export async function getStep(
  workflowId: number,
  key: string,
  directory: Pick<WorkflowDirectory, 'published'>,
): Promise<DevModeStep> {
  const state = (await branches.find(workflowId)) ?? stateOf(await directory.published(workflowId));
  return shownStep(workflowId, state, key);
}

/** Edits or adds a step, and checks the branch afterwards. */
export async function setStep(
  { id: workflowId, workspaceId }: Workflow,
  { key, definition, position, expectedRevision }: Params<'dev-mode.editStep'>,
  change: ChangeContext,
  { writer, checks }: { writer: BranchWriter; checks: LatestChecks },
): Promise<StepMutation> {
  const step = storeStep({ key, definition });
  const { state, latest } = await writer.write(workflowId, {
    apply: (current, editing) => editStep(current, { step, position }, editing),
    assertCurrent: (current) => assertRevision(current, key, expectedRevision),
    show: (current) => showStep(workflowId, current, key),
    change,
  });
  const problems = await checks.problemsOf(workflowId, { workspaceId, state: latest });
  return {
    step: shownStep(workflowId, state, key),
    snapshot: showSnapshot(state),
    problems,
  };
}

/** Deletes a step. Answers the whole branch right afterwards. */
export async function deleteStep(
  { id: workflowId, workspaceId }: Workflow,
  key: string,
  change: ChangeContext,
  writer: BranchWriter,
): Promise<BranchSnapshot> {
  const { state } = await writer.write(workflowId, {
    apply: (current, editing) => removeStep(current, key, editing),
    show: (current) => showStep(workflowId, current, key),
    change,
  });
  const snapshot = showSnapshot(state);
  return { workspaceId, workflowId, snapshot, steps: showSteps(workflowId, state) };
}

/** Throws 409 when the step has another revision; a step that is not there has the revision 0. */
function assertRevision(state: BranchState, key: string, expected: number | undefined): void {
  const current = state.steps.find((step) => step.key === key)?.revision ?? 0;
  if (expected !== undefined && expected !== current) throw staleRevision(expected, current);
}

function shownStep(workflowId: number, state: BranchState, key: string): DevModeStep {
  const step = showStep(workflowId, state, key);
  if (!step) throw noStep(key);
  return step;
}
