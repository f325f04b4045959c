import type { StoredStep } from '../../workflow-steps/step-fields.ts';
import { byKey, keysOf } from './step-keys.ts';
import { mergeOrder, orderConflicts } from './step-order.ts';

type Steps = readonly StoredStep[];

/** The steps of a branch's base, of the branch, and of what is published now. */
export interface Sides {
  base: Steps;
  ours: Steps;
  theirs: Steps;
}

export interface Merge {
  /** The merged steps. A step in conflict is the one of `ours`. */
  steps: StoredStep[];
  /** The keys of steps that were changed or moved differently on both sides. */
  conflicts: string[];
}

/** Merges two lists of steps that were made of the same base, step by step: a change of one side only is taken. */
export function mergeSteps({ base, ours, theirs }: Sides): Merge {
  const [b, o, t] = [byKey(base), byKey(ours), byKey(theirs)];
  const orders = { base: keysOf(base), ours: keysOf(ours), theirs: keysOf(theirs) };
  const conflicts = new Set<string>();
  const merged = new Map<string, StoredStep>();
  for (const key of new Set([...b.keys(), ...t.keys(), ...o.keys()])) {
    const isTheirs = isSame(o.get(key), b.get(key));
    const isBoth = isSame(o.get(key), t.get(key)) || isSame(t.get(key), b.get(key));
    if (!isTheirs && !isBoth) conflicts.add(key);
    const step = isTheirs ? t.get(key) : o.get(key);
    if (step) merged.set(key, step);
  }
  for (const key of orderConflicts(orders)) if (merged.has(key)) conflicts.add(key);
  const order = mergeOrder(orders, new Set(merged.keys()));
  return {
    steps: order.flatMap((key) => merged.get(key) ?? []),
    conflicts: [...conflicts],
  };
}

/** Whether two steps have the same definition, or both are absent. */
const isSame = (one: StoredStep | undefined, other: StoredStep | undefined): boolean =>
  one?.hash === other?.hash;
