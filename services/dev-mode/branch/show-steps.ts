import type { BranchStep } from '../../../models/dev-mode-branch.model.ts';
import type { DevModeStep } from '../contract/resources.ts';
import { type BranchState, liveSteps } from './branch-state.ts';
import { keysOf } from './step-keys.ts';
import { movedKeys } from './step-order.ts';

type Status = DevModeStep['status'];

/** Shows the steps of a branch in their order, deleted steps in their places. */
export function showSteps(workflowId: number, state: BranchState): DevModeStep[] {
  const statusOf = statusesOf(state);
  let position = 0;
  return state.steps.map((step) =>
    showWith(workflowId, step, step.deleted ? position : position++, statusOf(step)),
  );
}

/** Shows one step of a branch; null for a step that the branch does not have. */
export function showStep(workflowId: number, state: BranchState, key: string): DevModeStep | null {
  const at = state.steps.findIndex((each) => each.key === key);
  const step = state.steps[at];
  if (!step) return null;
  const position = liveSteps({ steps: state.steps.slice(0, at) }).length;
  return showWith(workflowId, step, position, statusesOf(state)(step));
}

const showWith = (
  workflowId: number,
  { key, definition, revision, updatedBy, updatedAt }: BranchStep,
  position: number,
  status: Status,
): DevModeStep => ({
  workflowId,
  key,
  position,
  definition: JSON.parse(definition) as DevModeStep['definition'],
  status,
  revision,
  updatedBy,
  updatedAt: updatedAt?.toISOString() ?? null,
});

/** The status of each step against the base of the branch. */
function statusesOf(state: BranchState): (step: BranchStep) => Status {
  const base = new Map(state.base.map(({ key, hash }) => [key, hash]));
  const moved = movedKeys([...base.keys()], keysOf(liveSteps(state)));
  return ({ key, hash, deleted }) => {
    if (deleted) return 'DELETED';
    const before = base.get(key);
    if (before === undefined) return 'ADDED';
    return before === hash && !moved.has(key) ? 'UNCHANGED' : 'MODIFIED';
  };
}
