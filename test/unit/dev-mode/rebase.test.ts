import fc from 'fast-check';
import {
  type BranchState,
  isClean,
  liveSteps,
} from '../../../services/dev-mode/branch/branch-state.ts';
import { diffOf } from '../../../services/dev-mode/branch/diff.ts';
import { mergeSteps } from '../../../services/dev-mode/branch/merge.ts';
import { rebase } from '../../../services/dev-mode/branch/rebase.ts';
import { branchOf, EDITING, editAll, editsUpTo, short, stepList } from './branches.ts';

/** A branch whose steps are merged with what is published meanwhile, and its edits since that merge. */
const publications = fc
  .record({ base: stepList, mine: editsUpTo(4), direct: editsUpTo(2), since: editsUpTo(3) })
  .map(({ base, mine, direct, since }) => {
    const merged = editAll(branchOf(base), mine);
    const theirs = liveSteps(editAll(branchOf(base), direct));
    const merge = mergeSteps({ base, ours: liveSteps(merged), theirs });
    const published = { revision: 3, steps: merge.steps };
    return { merged, now: editAll(merged, since), published, conflicts: merge.conflicts };
  })
  .filter(({ conflicts }) => conflicts.length === 0);

const hashesOf = (state: BranchState) =>
  new Map(liveSteps(state).map(({ key, hash }) => [key, hash]));

test('a branch that nobody has edited since becomes what is published', () => {
  fc.assert(
    fc.property(publications, ({ merged, published }) => {
      const state = rebase(merged, merged, published, EDITING);
      expect(short(liveSteps(state))).toEqual(short(published.steps));
      expect(isClean(state)).toBe(true);
      expect(state.baseRevision).toBe(3);
      expect(state.steps.some(({ deleted }) => deleted)).toBe(false);
      expect(diffOf(state, published.steps)).toEqual([]);
    }),
  );
});

test('an edit since stays; it is in conflict exactly when it did not know what is published', () => {
  fc.assert(
    fc.property(publications, ({ merged, now, published }) => {
      const state = rebase(now, merged, published, EDITING);
      const [n, m, after] = [hashesOf(now), hashesOf(merged), hashesOf(state)];
      const p = new Map(published.steps.map(({ key, hash }) => [key, hash]));
      const sides = { base: state.base, ours: liveSteps(state), theirs: published.steps };
      const { conflicts } = mergeSteps(sides);
      for (const key of new Set([...n.keys(), ...m.keys(), ...p.keys()])) {
        const isEdited = n.get(key) !== m.get(key);
        expect(after.get(key)).toBe(isEdited ? n.get(key) : p.get(key));
        const isUnknown = p.get(key) !== m.get(key) && p.get(key) !== n.get(key);
        expect(conflicts.includes(key)).toBe(isEdited && isUnknown);
      }
    }),
    { numRuns: 300 },
  );
});

test('an edit after the branch was based on a publication stays when it is based on it again', () => {
  fc.assert(
    fc.property(publications, editsUpTo(2), ({ merged, now, published }, later) => {
      const once = editAll(rebase(now, merged, published, EDITING), later);
      expect(rebase(once, merged, published, EDITING)).toEqual(once);
    }),
    { numRuns: 300 },
  );
});

test('a step has a record of its own once, and a revision that no other step has got', () => {
  fc.assert(
    fc.property(publications, ({ merged, now, published }) => {
      const state = rebase(now, merged, published, EDITING);
      const keys = state.steps.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(state.edits - now.edits).toBe(
        short(liveSteps(state)).join() === short(liveSteps(now)).join() ? 0 : 1,
      );
      const before = new Map(now.steps.map((step) => [step.key, step]));
      for (const step of state.steps) {
        const known = before.get(step.key);
        const isSame = known && known.hash === step.hash && known.deleted === step.deleted;
        if (isSame) expect(step.revision).toBe(known.revision);
        else if (!step.deleted) expect(step.revision).toBe(state.edits);
      }
    }),
  );
});
