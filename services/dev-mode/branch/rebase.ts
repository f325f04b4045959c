import type { BranchStep } from '../../../models/dev-mode-branch.model.ts';
import type { StoredStep } from '../../workflow-steps/step-fields.ts';
import { areSameSteps, type ComparedStep } from '../../workflow-steps/stored-steps.ts';
import { type BranchState, liveSteps } from './branch-state.ts';
import type { Editing } from './edit-step.ts';
import { byKey, keysOf } from './step-keys.ts';
import { insertAfterPredecessors, mergeOrder } from './step-order.ts';

type Steps = readonly StoredStep[];
type StepMap = ReadonlyMap<string, StoredStep>;

/** A publication that a branch is based on. */
interface Publication {
  revision: number;
  steps: Steps;
}

/** A branch as a publication has taken its edits in. */
export interface MergedState {
  baseRevision: number;
  steps: readonly (ComparedStep & { deleted?: boolean })[];
}

/**
 * Bases a branch on a publication. `merged` is the state of the branch whose edits the publication has taken in: a step
 * that has not changed since becomes the published step. A step that was edited since stays, and its base becomes the
 * published step, unless that has a change which the edit did not know: then its base stays, so that the next merge
 * finds the conflict. A branch that has got another base since `merged` stays as it is: its edits know that base.
 */
export function rebase(
  now: BranchState,
  merged: MergedState,
  published: Publication,
  editing: Editing,
): BranchState {
  if (now.baseRevision !== merged.baseRevision) return now;
  const { live, base } = rebaseSteps(now, merged, published.steps);
  const isChanged = !areSameSteps(live, liveSteps(now));
  const edits = isChanged ? now.edits + 1 : now.edits;
  return {
    baseRevision: published.revision,
    base,
    steps: recordsOf(live, base, now.steps, { ...editing, revision: edits }),
    edits,
    editedAt: isChanged ? editing.at : now.editedAt,
  };
}

/** The steps of the branch that are not deleted, and its base, after a publication. */
function rebaseSteps(now: BranchState, merged: MergedState, published: Steps) {
  const [ours, theirs] = [liveSteps(now), published];
  const before = merged.steps.filter(({ deleted }) => !deleted);
  const sides = { now: byKey(ours), merged: byKey(before), published: byKey(theirs) };
  const oldBase = byKey(now.base);
  const live = new Map<string, StoredStep>();
  const base = new Map<string, StoredStep>();
  for (const key of new Set([...oldBase.keys(), ...Object.values(sides).flatMap(keysIn)])) {
    const [n, m, p] = [sides.now.get(key), sides.merged.get(key), sides.published.get(key)];
    const isEdited = n?.hash !== m?.hash;
    const isKnown = !isEdited || p?.hash === m?.hash || p?.hash === n?.hash;
    set(live, isEdited ? n : p);
    set(base, isKnown ? p : oldBase.get(key));
  }
  const orders = { base: keysOf(before), ours: keysOf(ours), theirs: keysOf(theirs) };
  const baseOrder = insertAfterPredecessors(
    keysOf(theirs).filter((key) => base.has(key)),
    keysOf(now.base).filter((key) => base.has(key)),
  );
  return {
    live: pick(live, mergeOrder(orders, new Set(live.keys()))),
    base: pick(base, baseOrder),
  };
}

/** The records of a branch's steps, those that only the base has as deleted. A step that stays as it was keeps its record. */
function recordsOf(
  live: Steps,
  base: Steps,
  before: readonly BranchStep[],
  { by, at, revision }: Editing & { revision: number },
): BranchStep[] {
  const steps = byKey([...base, ...live]); // a live step replaces the step of the base
  const present = byKey(live);
  const known = new Map(before.map((step) => [step.key, step]));
  const order = insertAfterPredecessors(keysOf(live), keysOf(base));
  return pick(steps, order).map(({ key, definition, hash }): BranchStep => {
    const flags = present.has(key) ? {} : { deleted: true as const };
    const record = known.get(key);
    const isSame = Boolean(record?.deleted) === !present.has(key);
    if (record && isSame && (record.deleted || record.hash === hash)) {
      return { ...record, definition, hash };
    }
    return { key, definition, hash, revision, updatedBy: by, updatedAt: at, ...flags };
  });
}

const keysIn = (steps: ReadonlyMap<string, ComparedStep>): string[] => [...steps.keys()];
const pick = (steps: StepMap, keys: readonly string[]): StoredStep[] =>
  keys.flatMap((key) => steps.get(key) ?? []);

function set(steps: Map<string, StoredStep>, step: StoredStep | undefined): void {
  if (step) steps.set(step.key, step);
}
