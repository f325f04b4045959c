import fc from 'fast-check';
import {
  mergeOrder,
  movedKeys,
  orderConflicts,
} from '../../../services/dev-mode/branch/step-order.ts';

const list = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e']);

/** The part of a list that has these keys. */
const among = (order: readonly string[], keys: ReadonlySet<string>): string[] =>
  order.filter((key) => keys.has(key));
/** Whether two lists have the keys that both have in the same order. */
function agree(one: readonly string[], other: readonly string[]): boolean {
  const common = new Set(one).intersection(new Set(other));
  return among(one, common).join() === among(other, common).join();
}

/** The keys that a merge has, by their presence alone: a key that one side has added or removed is taken from that side. */
const mergedKeys = (base: string[], ours: string[], theirs: string[]): Set<string> =>
  new Set(
    [...ours, ...theirs].filter((key) => {
      const isOurs = ours.includes(key);
      return isOurs === base.includes(key) ? theirs.includes(key) : isOurs;
    }),
  );

test('the moved keys are the fewest without which the order is the same', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const moved = movedKeys(before, after);
      const common = new Set(before).intersection(new Set(after));
      const kept = common.difference(moved);
      expect(agree(among(before, kept), among(after, kept))).toBe(true);
      for (const fewer of subsetsOf([...common], moved.size - 1)) {
        const others = common.difference(new Set(fewer));
        expect(agree(among(before, others), among(after, others))).toBe(false);
      }
    }),
  );
});

/** All subsets of that size; none for a negative size. */
function subsetsOf(keys: readonly string[], size: number): string[][] {
  if (size < 0) return [];
  if (size === 0) return [[]];
  return keys.flatMap((key, at) =>
    subsetsOf(keys.slice(at + 1), size - 1).map((rest) => [key, ...rest]),
  );
}

test('a merge has each key once, and the order of the side that alone has moved steps', () => {
  fc.assert(
    fc.property(list, list, list, (base, ours, theirs) => {
      const keys = mergedKeys(base, ours, theirs);
      const merged = mergeOrder({ base, ours, theirs }, keys);
      expect(new Set(merged)).toEqual(keys);
      expect(merged).toHaveLength(keys.size);
      // A key that both sides have added has the place that `theirs` gives it.
      const ofBoth = new Set(ours).intersection(new Set(theirs)).difference(new Set(base));
      const firm = keys.difference(ofBoth);
      if (agree(base, theirs)) expect(agree(among(ours, firm), merged)).toBe(true);
      if (agree(base, ours)) expect(agree(among(theirs, firm), merged)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a merge with an unchanged side is the other side', () => {
  fc.assert(
    fc.property(list, list, (base, changed) => {
      const keys = new Set(changed);
      expect(mergeOrder({ base, ours: changed, theirs: base }, keys)).toEqual(changed);
      expect(mergeOrder({ base, ours: base, theirs: changed }, keys)).toEqual(changed);
      expect(orderConflicts({ base, ours: changed, theirs: base })).toEqual(new Set());
      expect(orderConflicts({ base, ours: changed, theirs: changed })).toEqual(new Set());
    }),
  );
});
