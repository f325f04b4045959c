import {
  type Member,
  shareOfLimit,
  WorkspaceLimit,
} from '../../../services/runs/engine/admission/workspace-limit.ts';
import { shareOf } from './engine.ts';
import { numbersOf } from './numbers.ts';

const sharesOf = (limit: number, members: readonly Member[], tenant: string) =>
  members.map(({ id }) => shareOfLimit({ limit, members, tenant }, id));
const sum = (all: number[]) => all.reduce((a, b) => a + b, 0);

test('the shares of all workers add up to the limit, and follow their capacities', () => {
  const random = numbersOf(1);
  for (let n = 0; n < 500; n++) {
    const members = Array.from({ length: 1 + random(20) }, (_, at) => ({
      id: `worker-${String(at).padStart(2, '0')}`,
      capacity: 2 + random(200),
    }));
    const limit = 1 + random(1_000);
    const capacity = sum(members.map((member) => member.capacity));
    const shares = sharesOf(limit, members, `workspace:${random(10_000)}`);
    expect(sum(shares)).toBe(limit);
    for (const [at, share] of shares.entries()) {
      const exact = (limit * (members[at]?.capacity ?? 0)) / capacity;
      expect(Math.abs(share - exact)).toBeLessThan(1);
    }
  }
});

test('a limit below the number of workers goes to other workers for other workspaces', () => {
  const members = ['a', 'b', 'c'].map((id) => ({ id, capacity: 48 }));
  const totals = [0, 0, 0];
  for (let workspaceId = 1; workspaceId <= 300; workspaceId++) {
    const shares = sharesOf(1, members, `workspace:${workspaceId}`);
    expect(sum(shares)).toBe(1);
    for (const [at, share] of shares.entries()) totals[at] = (totals[at] ?? 0) + share;
  }
  expect(Math.min(...totals)).toBeGreaterThan(50);
});

test('a worker holds its share of a workspace at most, and more once it is alone', () => {
  let members = ['me', 'other'].map((id) => ({ id, capacity: 4 }));
  const limit = new WorkspaceLimit({ limit: 2, members: () => members, id: () => 'me' });
  limit.add(shareOf(1), 1);
  expect([limit.mayTake(shareOf(1)), limit.mayTake(shareOf(2))]).toEqual([false, true]);
  members = members.slice(0, 1);
  expect(limit.mayTake(shareOf(1))).toBe(true);
  limit.add(shareOf(1), 1);
  expect(limit.mayTake(shareOf(1))).toBe(false);
  limit.add(shareOf(1), -1);
  expect(limit.mayTake(shareOf(1))).toBe(true);
});
