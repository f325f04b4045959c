import type { StoredStep } from '../../workflow-steps/step-fields.ts';
import type { StepDifference } from '../contract/resources.ts';
import { type BranchState, liveSteps } from './branch-state.ts';
import { mergeSteps } from './merge.ts';
import { movedKeys } from './step-order.ts';

/** The differences of a branch from what is published now, in the order of the branch, deleted steps last. */
export function diffOf(state: BranchState, published: readonly StoredStep[]): StepDifference[] {
  const live = liveSteps(state);
  const ours = new Map(live.map((step) => [step.key, step]));
  const theirs = new Map(published.map((step) => [step.key, step]));
  const { conflicts } = mergeSteps({ base: state.base, ours: live, theirs: published });
  const moved = movedKeys([...theirs.keys()], [...ours.keys()]);
  const changeOf = (key: string): StepDifference['change'] | null => {
    if (!theirs.has(key)) return 'ADDED';
    if (!ours.has(key)) return 'DELETED';
    if (ours.get(key)?.hash !== theirs.get(key)?.hash) return 'MODIFIED';
    return moved.has(key) ? 'MOVED' : null;
  };
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((key): StepDifference[] => {
    const change = changeOf(key);
    if (!change) return [];
    const before = theirs.get(key);
    return [
      {
        key,
        change,
        published: before ? (JSON.parse(before.definition) as StepDifference['published']) : null,
        conflict: conflicts.includes(key),
      },
    ];
  });
}
