import { invalidField, NotFound, Problem, problemType } from '../../contract/problem.ts';
import type { StepProblem } from '../workflow-steps/step-fields.ts';

export const BranchHasProblems = problemType(
  'BRANCH_HAS_PROBLEMS',
  409,
  'Steps of the branch have problems',
);
export const BranchConflicts = problemType(
  'BRANCH_CONFLICTS',
  409,
  'Steps were changed in the branch and in what is published',
);

/** Problems that a refusal lists; the branch lists the others. */
const MAX_LISTED = 100;

export const noBranch = (workflowId: number): Problem =>
  new Problem(NotFound, `The workflow ${workflowId} has no branch: the first edit makes one.`);
export const noStep = (key: string): Problem =>
  new Problem(NotFound, `There is no step ${key} in the branch.`);

export const positionOutOfRange = (last: number): Problem =>
  invalidField('position', 'out_of_range', `must be from 0 to ${last} for this step`);
export const tooManySteps = (most: number): Problem =>
  invalidField(
    'definition',
    'too_many_steps',
    `a branch has at most ${most} steps, with those that it has deleted since its last publication`,
  );
export const definitionsTooLarge = (most: number): Problem =>
  invalidField(
    'definition',
    'too_big',
    `all definitions of a branch take at most ${most} bytes of JSON together, with those of the steps that it has deleted since its last publication`,
  );

export const hasProblems = (problems: readonly StepProblem[]): Problem =>
  new Problem(
    BranchHasProblems,
    `The branch has problems (${problems.length}), the first in ${problems[0]?.key ?? 'the steps'}: ${problems[0]?.message ?? ''}`,
    { members: { problems: problems.slice(0, MAX_LISTED) } },
  );

export const hasConflicts = (conflicts: readonly string[], revision: number): Problem =>
  new Problem(
    BranchConflicts,
    `Since the base of the branch, these steps were changed in it and in revision ${revision} as well: ${conflicts.join(', ')}. Give such a step the published definition and position, or delete it where it is not published; publish, and edit it again.`,
    { members: { conflicts: [...conflicts] } },
  );
