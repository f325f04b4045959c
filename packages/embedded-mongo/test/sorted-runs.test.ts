import fc from 'fast-check';
import { SortedRuns } from '../query/sorted-runs.ts';

interface Item {
  key: number;
  at: number;
}
const compare = (a: Item, b: Item): number => a.key - b.key;

/** Items with keys below `keys`, as a generator of random numbers makes them. */
function itemsOf(count: number, keys: number, seed: number): Item[] {
  let state = seed;
  return Array.from({ length: count }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { key: state % keys, at };
  });
}

it('returns items in their order, and equal ones in the order of their addition', () => {
  const counts = fc.integer({ min: 0, max: 9000 });
  const takes = fc.integer({ min: 1, max: 5000 });
  const seeds = fc.integer({ min: 1, max: 1e6 });
  fc.assert(
    fc.property(counts, takes, fc.constantFrom(1, 7, 1e6), seeds, (count, some, keys, seed) => {
      const items = itemsOf(count, keys, seed);
      const runs = new SortedRuns(compare);
      for (const item of items) runs.add(item);
      const taken: Item[] = [];
      while (runs.size > 0) taken.push(...runs.takeSome(some));
      expect(taken).toEqual([...items].sort(compare));
      expect(runs.take()).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

it('spreads the comparisons over the calls', () => {
  let compared = 0;
  const runs = new SortedRuns<Item>((a, b) => {
    compared++;
    return compare(a, b);
  });
  let most = 0;
  const count = (call: () => unknown): void => {
    compared = 0;
    call();
    most = Math.max(most, compared);
  };
  const items = itemsOf(100_000, 1e9, 1);
  for (const item of items) count(() => runs.add(item));
  for (const _ of items) count(() => runs.take());
  expect(most).toBeLessThan(30_000);
});
