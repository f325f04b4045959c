import type { StoredStep } from '../../workflow-steps/step-fields.ts';
import type { StepDifference } from '../contract/resources.ts';
import { type BranchState, liveSteps } from './branch-state.ts';
import { mergeSteps } from './merge.ts';
import { byKey } from './step-keys.ts';
import { movedKeys } from './step-order.ts';

/** UTF-8 bytes of published definitions in one answer, whose parts have to fit into one message. Further ones are left out. */
const MAX_PUBLISHED_BYTES = 64 * 1024;

/** The differences of a branch from what is published now, in the order of the branch, deleted steps last. */
export function diffOf(state: BranchState, published: readonly StoredStep[]): StepDifference[] {
  const live = liveSteps(state);
  const [ours, theirs] = [byKey(live), byKey(published)];
  const { conflicts } = mergeSteps({ base: state.base, ours: live, theirs: published });
  const moved = movedKeys([...theirs.keys()], [...ours.keys()]);
  const changeOf = (key: string): StepDifference['change'] | null => {
    if (!theirs.has(key)) return 'ADDED';
    if (!ours.has(key)) return 'DELETED';
    if (ours.get(key)?.hash !== theirs.get(key)?.hash) return 'MODIFIED';
    return moved.has(key) ? 'MOVED' : null;
  };
  const show = publishedDefinitions();
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((key): StepDifference[] => {
    const change = changeOf(key);
    if (!change) return [];
    return [{ key, change, ...show(theirs.get(key)), conflict: conflicts.includes(key) }];
  });
}

/** Shows published definitions until they take too many bytes; later ones are left out. */
function publishedDefinitions() {
  let bytes = 0;
  return (step: StoredStep | undefined): Pick<StepDifference, 'published'> => {
    if (!step) return { published: null };
    bytes += Buffer.byteLength(step.definition);
    if (bytes > MAX_PUBLISHED_BYTES) return {};
    return { published: JSON.parse(step.definition) as StepDifference['published'] };
  };
}
