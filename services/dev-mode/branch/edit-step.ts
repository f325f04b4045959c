import type { Actor } from '../../../contract/caller.ts';
import type { BranchStep } from '../../../models/dev-mode-branch.model.ts';
import {
  MAX_DEFINITION_BYTES,
  MAX_STEPS,
  type StoredStep,
} from '../../workflow-steps/step-fields.ts';
import { definitionBytesOf } from '../../workflow-steps/stored-steps.ts';
import type { EditKind } from '../contract/resources.ts';
import {
  definitionsTooLarge,
  noStep,
  positionOutOfRange,
  tooManySteps,
} from '../dev-mode.problems.ts';
import { type BranchState, liveSteps } from './branch-state.ts';

/** Who edits, and when. */
export interface Editing {
  by: Actor;
  at: Date;
}

/** Characters of an editor's name in a branch, which shows the name at each step. The rest is cut. */
const LONGEST_NAME = 60;

/** Makes the record of an edit. */
export const editingBy = (actor: Actor): Editing => ({
  by: { ...actor, name: [...actor.name].slice(0, LONGEST_NAME).join('') },
  at: new Date(),
});

/** An edit of a branch: its state afterwards, and what the history says of it. Null for an edit that changes nothing. */
export type Edited = { state: BranchState; key: string | null; kind: EditKind } | null;

export interface WantedStep {
  step: StoredStep;
  /** The index among the steps that are not deleted; where the step is, or the end for a new one, unless given. */
  position?: number | undefined;
}

/** Sets a step: adds, changes, moves or restores it. Throws 400 for a position or a definition that does not fit. */
export function editStep(state: BranchState, wanted: WantedStep, { by, at }: Editing): Edited {
  const { step, position } = wanted;
  const existing = state.steps.find(({ key }) => key === step.key);
  const live = liveSteps(state);
  const present = live.findIndex(({ key }) => key === step.key);
  assertInRange(position, present === -1 ? live.length : live.length - 1);
  const kind = kindOf(existing, step, position === undefined || position === present);
  if (!kind) return null;
  const revision = state.edits + 1;
  const edited: BranchStep = { ...step, revision, updatedBy: by, updatedAt: at };
  const steps = place(state.steps, edited, position);
  assertWithinLimits(steps, state.steps);
  return { state: { ...state, steps, edits: revision, editedAt: at }, key: step.key, kind };
}

/** Deletes a step. A step of the base stays as deleted. Throws 404 for a step that the branch does not have. */
export function removeStep(state: BranchState, key: string, { by, at }: Editing): Edited {
  const existing = state.steps.find((step) => step.key === key);
  if (!existing) throw noStep(key);
  if (existing.deleted) return null;
  const revision = state.edits + 1;
  const published = state.base.find((step) => step.key === key);
  const steps = state.steps.flatMap((step): BranchStep[] => {
    if (step !== existing) return [step];
    return published
      ? [{ ...published, revision, updatedBy: by, updatedAt: at, deleted: true }]
      : [];
  });
  return { state: { ...state, steps, edits: revision, editedAt: at }, key, kind: 'DELETED' };
}

function assertInRange(position: number | undefined, last: number): void {
  if (position !== undefined && position > last) throw positionOutOfRange(last);
}

/**
 * Throws 400 for an edit that adds to a branch beyond its limits. Deleted steps count until the branch is published,
 * because the answers that show the branch show them. A publication may leave a branch beyond its limits.
 */
function assertWithinLimits(steps: readonly BranchStep[], before: readonly BranchStep[]): void {
  if (steps.length > Math.max(MAX_STEPS, before.length)) throw tooManySteps(MAX_STEPS);
  const bytes = definitionBytesOf(steps);
  if (bytes > MAX_DEFINITION_BYTES && bytes > definitionBytesOf(before)) {
    throw definitionsTooLarge(MAX_DEFINITION_BYTES);
  }
}

function kindOf(
  existing: BranchStep | undefined,
  wanted: StoredStep,
  staysInPlace: boolean,
): EditKind | null {
  if (!existing) return 'ADDED';
  if (existing.deleted) return 'RESTORED';
  if (existing.hash !== wanted.hash) return 'MODIFIED';
  return staysInPlace ? null : 'MOVED';
}

/** Puts the step in its place: that of the step with its key, the end for a new step, or the wanted position. */
function place(
  steps: readonly BranchStep[],
  edited: BranchStep,
  position: number | undefined,
): BranchStep[] {
  if (position === undefined) {
    const at = steps.findIndex(({ key }) => key === edited.key);
    return at === -1 ? [...steps, edited] : steps.with(at, edited);
  }
  const others = steps.filter(({ key }) => key !== edited.key);
  const next = liveSteps({ steps: others })[position];
  return others.toSpliced(next ? others.indexOf(next) : others.length, 0, edited);
}
