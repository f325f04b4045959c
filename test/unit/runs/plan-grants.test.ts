import { planGrants } from '../../../services/runs/engine/permits/plan-grants.ts';

/** Runs 1, 2, … that wait, with these limits. */
const waiting = (...limits: number[]) =>
  limits.map((concurrency, at) => ({ _id: at + 1, concurrency }));
const grantsOf = (limits: number[], used: number[]) =>
  planGrants(waiting(...limits), used).map(({ runId, permit }) => [runId, permit]);

test.each<[string, number[], number[], number[][]]>([
  ['no run waits', [], [0], []],
  ['a free limit of one', [1, 1], [], [[1, 0]]],
  ['a used limit of one', [1], [0], []],
  [
    'the lowest free permits',
    [4, 4, 4, 4],
    [1],
    [
      [1, 0],
      [2, 2],
      [3, 3],
    ],
  ],
  ['a lowered limit counts the runs of the higher one', [2], [3, 4], []],
  ['a lowered limit with room has a permit below it', [2], [4], [[1, 0]]],
  [
    'a raised limit goes on from the used permits',
    [3, 3, 3],
    [0],
    [
      [1, 1],
      [2, 2],
    ],
  ],
  ['a later run does not pass the first one', [1, 5], [0, 1], []],
])('%s', (_, limits, used, grants) => {
  expect(grantsOf(limits, used)).toEqual(grants);
});

test('runs of one limit never have more permits than the limit, and all get one in the end', () => {
  for (const limit of [1, 2, 3, 7]) {
    const queue = waiting(...Array.from({ length: 40 }, () => limit));
    const held = new Map<number, number>();
    let most = 0;
    while (queue.length || held.size) {
      for (const { runId, permit } of planGrants(queue.slice(0, 16), held.values())) {
        expect([...held.values()]).not.toContain(permit);
        held.set(runId, permit);
        queue.splice(0, 1);
      }
      most = Math.max(most, held.size);
      held.delete([...held.keys()].at(held.size >> 1) ?? 0);
    }
    expect(most).toBe(limit);
  }
});
