import fc from 'fast-check';
import { mergeSteps } from '../../../services/dev-mode/branch/merge.ts';
import { short, stepList, stepOf } from './branches.ts';

test('both sides find the same conflicts', () => {
  fc.assert(
    fc.property(stepList, stepList, stepList, (base, ours, theirs) => {
      const one = mergeSteps({ base, ours, theirs });
      const other = mergeSteps({ base, ours: theirs, theirs: ours });
      expect(new Set(one.conflicts)).toEqual(new Set(other.conflicts));
      expect(one.conflicts).toHaveLength(new Set(one.conflicts).size);
    }),
    { numRuns: 1_000 },
  );
});

test('changes of one side alone, and equal changes of both sides, are taken as they are', () => {
  fc.assert(
    fc.property(stepList, stepList, (base, changed) => {
      for (const sides of [
        { base, ours: changed, theirs: base },
        { base, ours: base, theirs: changed },
        { base, ours: changed, theirs: changed },
      ]) {
        const { steps, conflicts } = mergeSteps(sides);
        expect(short(steps)).toEqual(short(changed));
        expect(conflicts).toEqual([]);
      }
    }),
  );
});

test('a step that only one side has changed is the one of that side', () => {
  fc.assert(
    fc.property(stepList, stepList, stepList, (base, ours, theirs) => {
      const { steps, conflicts } = mergeSteps({ base, ours, theirs });
      const hashes = (list: typeof base) => new Map(list.map(({ key, hash }) => [key, hash]));
      const [b, o, t] = [hashes(base), hashes(ours), hashes(theirs)];
      const merged = hashes(steps);
      for (const key of new Set([...b.keys(), ...o.keys(), ...t.keys()])) {
        if (o.get(key) === b.get(key)) expect(merged.get(key)).toBe(t.get(key));
        else expect(merged.get(key)).toBe(o.get(key));
        const isChangedTwice = o.get(key) !== b.get(key) && t.get(key) !== b.get(key);
        if (isChangedTwice && o.get(key) !== t.get(key)) expect(conflicts).toContain(key);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a step that one side deletes and the other changes is in conflict; deleted by both it is gone', () => {
  const base = [stepOf('a'), stepOf('b')];
  const deleted = [stepOf('b')];
  const changed = [stepOf('a', 1), stepOf('b')];
  expect(mergeSteps({ base, ours: deleted, theirs: changed }).conflicts).toEqual(['a']);
  expect(mergeSteps({ base, ours: changed, theirs: deleted }).conflicts).toEqual(['a']);
  const { steps, conflicts } = mergeSteps({ base, ours: deleted, theirs: deleted });
  expect(short(steps)).toEqual(short(deleted));
  expect(conflicts).toEqual([]);
});

test('a step that both sides move to different places is in conflict', () => {
  const ordered = (keys: string) => [...keys].map((key) => stepOf(key));
  const sides = { base: ordered('abcd'), ours: ordered('bcad'), theirs: ordered('bcda') };
  expect(mergeSteps(sides).conflicts).toEqual(['a']);
});
