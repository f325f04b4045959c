import fc from 'fast-check';
import { FairCapacity } from '../../../support/fair-shares/fair-capacity.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

const shareOf = (owner: number, workspace = owner): Share => ({
  owner: `person:${owner}`,
  tenant: `workspace:${workspace}`,
});

interface Step {
  owner: number;
  workspace: number;
  change: 1 | -1;
}

const total = fc.integer({ min: 2, max: 64 });
const stepsOf = (owners: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      owner: fc.integer({ min: 1, max: owners }),
      workspace: fc.integer({ min: 1, max: 4 }),
      change: fc.constantFrom(1, 1, 1, -1),
    }),
    { maxLength: 200 },
  );

/** Takes what may be taken, and gives back what is held; how much that leaves with each. */
function carryOut(capacity: FairCapacity, steps: readonly Step[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const { owner, workspace, change } of steps) {
    const share = shareOf(owner, workspace * 100 + owner);
    const before = held.get(share.tenant) ?? 0;
    if (change > 0 ? !capacity.mayAdd(share, 1) : before === 0) continue;
    capacity.add(share, change);
    held.set(share.tenant, before + change);
  }
  return held;
}

test('whatever one owner took and gave back, a quarter is left, and what is free adds up', () => {
  fc.assert(
    fc.property(total, stepsOf(1), (size, steps) => {
      const capacity = new FairCapacity(size);
      const held = [...carryOut(capacity, steps).values()].reduce((sum, count) => sum + count, 0);
      expect(capacity.free).toBe(size - held);
      expect(capacity.free).toBeGreaterThanOrEqual(Math.floor(size / 4));
      expect(capacity.mayAdd(shareOf(2), 1)).toBe(true);
    }),
  );
});

test('whatever two owners took and gave back, a third has room', () => {
  fc.assert(
    fc.property(total, stepsOf(2), (size, steps) => {
      fc.pre(size >= 5);
      const capacity = new FairCapacity(size);
      carryOut(capacity, steps);
      expect(capacity.mayAdd(shareOf(3), 1)).toBe(true);
    }),
  );
});

test('whatever one workspace took, another of its owner has room where there was room for two', () => {
  fc.assert(
    fc.property(total, (size) => {
      const capacity = new FairCapacity(size);
      while (capacity.mayAdd(shareOf(1, 1), 1)) capacity.add(shareOf(1, 1), 1);
      expect(capacity.mayAdd(shareOf(1, 2), 1)).toBe(size >= 3);
    }),
  );
});

test('what was given back leaves nothing behind', () => {
  const capacity = new FairCapacity(16);
  capacity.add(shareOf(1), 12);
  capacity.add(shareOf(1), -12);
  expect([capacity.free, capacity.isUnused]).toEqual([16, true]);
});
