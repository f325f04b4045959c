import fc from 'fast-check';
import { Problem } from '../../../contract/problem.ts';
import { type BranchState, stateOf } from '../../../services/dev-mode/branch/branch-state.ts';
import {
  type Edited,
  type Editing,
  editStep,
  removeStep,
} from '../../../services/dev-mode/branch/edit-step.ts';
import type { StoredStep } from '../../../services/workflow-steps/step-fields.ts';
import { storeStep } from '../../../services/workflow-steps/stored-steps.ts';

export const KEYS = ['a', 'b', 'c', 'd', 'e'];
export const EDITING: Editing = {
  by: { type: 'person', id: 1, name: 'Ada' },
  at: new Date('2026-01-02T03:04:05Z'),
};

/** A step whose definition sets `v` to that version. */
export const stepOf = (key: string, version = 0): StoredStep =>
  storeStep({ key, definition: { set: { v: version } } });

/** Steps in short: key and hash. */
export const short = (steps: readonly StoredStep[]): string[] =>
  steps.map(({ key, hash }) => `${key}:${hash}`);

/** The branch of a workflow with these published steps, before any edit. */
export const branchOf = (steps: readonly StoredStep[], revision = 1): BranchState => {
  const workflow = { id: 7, workspaceId: 3, name: 'W' };
  const publishedAt = '2026-01-01T00:00:00.000Z';
  return stateOf({ workflow, revision, publishedAt, steps: [...steps] });
};

const version = fc.integer({ min: 0, max: 2 });
const key = fc.constantFrom(...KEYS);

/** A list of steps with some of the keys, in any order. */
export const stepList = fc
  .shuffledSubarray(KEYS)
  .chain((keys) => fc.tuple(...keys.map((each) => version.map((v) => stepOf(each, v)))));

export type Edit =
  | { key: string; version: number; position: number | undefined }
  | { key: string; removed: true };
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ key, version, position: fc.option(fc.nat(4), { nil: undefined }) }),
  },
  { weight: 1, arbitrary: fc.record({ key, removed: fc.constant(true as const) }) },
);
export const editsUpTo = (maxLength: number) => fc.array(edit, { maxLength });

/** Makes an edit; `refused` for one that the branch refuses, null for one that changes nothing. */
export function attempt(state: BranchState, wanted: Edit): Edited | 'refused' {
  try {
    if ('removed' in wanted) return removeStep(state, wanted.key, EDITING);
    const step = stepOf(wanted.key, wanted.version);
    return editStep(state, { step, position: wanted.position }, EDITING);
  } catch (error) {
    if (error instanceof Problem) return 'refused';
    throw error;
  }
}

/** The branch after these edits; an edit that is refused leaves it as it is. */
export const editAll = (before: BranchState, edits: readonly Edit[]): BranchState =>
  edits.reduce((state, each) => {
    const edited = attempt(state, each);
    return edited && edited !== 'refused' ? edited.state : state;
  }, before);
