import fc from 'fast-check';
import { WorkspaceQuota } from '../../../services/runs/quotas/workspace-quota.ts';

const REFUSED = new Error('refused');
const noWork = async () => undefined;

/** A quota of what `use` says, by a clock of the test's own. */
function quotaOf(limit: number, use: () => number) {
  const clock = { now: 0 };
  const measure = jest.fn(async (_workspaceId: number) => use());
  const quota = new WorkspaceQuota({
    limit,
    measure,
    refusal: () => REFUSED,
    now: () => clock.now,
  });
  return { quota, measure, clock };
}

it('measures once for many uses in a row', async () => {
  const { quota, measure, clock } = quotaOf(1_000, () => 0);
  for (let n = 0; n < 400; n++) await quota.take(1, 1, noWork);
  expect(measure).toHaveBeenCalledTimes(1);
  clock.now = 5_001;
  await quota.take(1, 1, noWork);
  expect(measure).toHaveBeenCalledTimes(2);
});

it('measures as often as what was let in may have grown to half of the room', async () => {
  let used = 0;
  const measure = jest.fn(async () => used);
  const refusal = () => REFUSED;
  const quota = new WorkspaceQuota({ limit: 100, growth: 10, measure, refusal, now: () => 0 });
  for (let n = 0; n < 5; n++) await quota.take(1, 0, noWork);
  expect(measure).toHaveBeenCalledTimes(1);
  used = 101; // they have grown
  await quota.take(1, 0, noWork);
  await expect(quota.take(1, 0, noWork)).rejects.toBe(REFUSED);
});

it('refuses once what it let in before has ended, so that it can be found', async () => {
  const { quota } = quotaOf(1, () => 0);
  const work = Promise.withResolvers<string>();
  const order: string[] = [];
  const first = quota.take(1, 1, () => work.promise).then((done) => order.push(done));
  const second = quota.take(1, 1, noWork).catch(() => order.push('refused'));
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(order).toEqual([]);
  work.resolve('stored');
  await Promise.all([first, second]);
  expect(order).toEqual(['stored', 'refused']);
});

it('measures more often near the limit, and each workspace for itself', async () => {
  const { quota, measure, clock } = quotaOf(10, () => 6);
  await quota.take(1, 1, noWork);
  await quota.take(2, 1, noWork);
  expect(measure.mock.calls).toEqual([[1], [2]]);
  clock.now = 1_001;
  await quota.take(1, 1, noWork);
  expect(measure).toHaveBeenCalledTimes(3);
});

it('refuses by a measurement that began after the use was asked for, and no earlier one', async () => {
  let used = 3;
  const { quota } = quotaOf(3, () => used);
  await expect(quota.take(1, 1, noWork)).rejects.toBe(REFUSED);
  used = 2;
  await quota.take(1, 1, noWork);
  used = 3;
  await expect(quota.take(1, 1, noWork)).rejects.toBe(REFUSED);
});

it('hands on a failure to measure, and recovers from it', async () => {
  const { quota, measure } = quotaOf(3, () => 0);
  measure.mockRejectedValueOnce(new Error('away'));
  const both = await Promise.allSettled([quota.take(1, 1, noWork), quota.take(1, 1, noWork)]);
  expect(both.map(({ status }) => status)).toContain('rejected');
  await quota.take(1, 1, noWork);
});

it('gives nothing back for work that failed until it measures again', async () => {
  const { quota } = quotaOf(1, () => 0);
  await expect(quota.take(1, 1, () => Promise.reject(new Error('failed')))).rejects.toThrow();
  await quota.take(1, 1, noWork);
});

it('is never passed, and refuses only what does not fit, whatever the order of events', async () => {
  const pause = (turns: number) =>
    Array.from({ length: turns }).reduce<Promise<void>>((all) => all.then(() => {}), noWork());
  const arbitraryUse = fc.record({
    after: fc.nat(20),
    amount: fc.integer({ min: 1, max: 3 }),
    takes: fc.nat(6),
    /** Whether what it stored is removed again, and when. */
    removedAfter: fc.option(fc.nat(20)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(arbitraryUse, { maxLength: 25 }),
      fc.nat(5),
      async (limit, uses, lag) => {
        let stored = 0;
        let most = 0;
        const quota = new WorkspaceQuota({
          limit,
          refusal: () => REFUSED,
          async measure() {
            await pause(lag);
            const seen = stored;
            await pause(lag);
            return seen;
          },
        });
        const work = async ({ takes, amount, removedAfter }: (typeof uses)[number]) => {
          await pause(takes);
          stored += amount;
          most = Math.max(most, stored);
          if (removedAfter === null) return;
          void pause(removedAfter).then(() => {
            stored -= amount;
          });
        };
        const outcomes = await Promise.allSettled(
          uses.map(async (use) => {
            await pause(use.after);
            await quota.take(1, use.amount, () => work(use));
          }),
        );
        expect(most).toBeLessThanOrEqual(limit);
        const amounts = uses.reduce((sum, { amount }) => sum + amount, 0);
        if (amounts <= limit) expect(outcomes.every((o) => o.status === 'fulfilled')).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
