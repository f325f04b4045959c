import type { BranchStep, DevModeBranchDocument } from '../../../models/dev-mode-branch.model.ts';
import type { Actions } from '../../contracts.ts';
import type { StoredStep } from '../../workflow-steps/step-fields.ts';
import { areSameSteps, hashOfSteps } from '../../workflow-steps/stored-steps.ts';
import type { Snapshot } from '../contract/resources.ts';

/** What edits, the merge and the answers read of a branch. */
export type BranchState = Pick<
  DevModeBranchDocument,
  'baseRevision' | 'base' | 'steps' | 'edits' | 'editedAt'
>;

/** A workflow with its published steps. */
export type Published = Actions['workflows.published']['result'];

/** The state of a branch that nobody has edited: what is published. */
export const stateOf = ({ revision, publishedAt, steps }: Published): BranchState => ({
  baseRevision: revision,
  base: steps,
  steps: steps.map(unchangedStep),
  edits: 0,
  editedAt: new Date(publishedAt),
});

const unchangedStep = ({ key, definition, hash }: StoredStep): BranchStep => ({
  key,
  definition,
  hash,
  revision: 0,
  updatedBy: null,
  updatedAt: null,
});

/** The steps of the branch without those that it has deleted, in order. */
export const liveSteps = ({ steps }: Pick<BranchState, 'steps'>): BranchStep[] =>
  steps.filter(({ deleted }) => !deleted);

/** Whether the branch has the steps of its base, in their order. */
export const isClean = (state: BranchState): boolean => areSameSteps(liveSteps(state), state.base);

export const showSnapshot = (state: BranchState): Snapshot => {
  const live = liveSteps(state);
  return {
    id: state.edits,
    hash: hashOfSteps(live),
    createdAt: state.editedAt.toISOString(),
    stepCount: live.length,
  };
};
