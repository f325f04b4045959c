import { percentile } from '../../../bench/percentile.ts';
import { COSTS, tableOf, zipfRates } from '../../../bench/simulate.ts';
import { type Model, simulate } from '../../../bench/simulation.ts';

const SYSTEM: Model = {
  seed: 7,
  seconds: 20,
  processes: 2,
  slots: 16,
  databaseCores: 2,
  phases: [
    { at: 'process', ms: 5 },
    { at: 'database', ms: 3 },
    { at: 'outside', ms: 50 },
    { at: 'process', ms: 3 },
  ],
  rates: zipfRates(200, 150),
  isFair: true,
};

test('the same seed has the same table, another seed another', () => {
  const world = { tenants: 50, seconds: 1 };
  expect(tableOf(3, world)).toEqual(tableOf(3, world));
  expect(tableOf(3, world)).not.toEqual(tableOf(4, world));
});

test('the first tenant asks for a thousand times what the median does', () => {
  const rates = zipfRates(10_000, 300);
  expect((rates[0] ?? 0) / (rates[4_999] ?? 0)).toBeCloseTo(1_000);
  expect(rates.reduce((sum, rate) => sum + rate)).toBeCloseTo(300);
});

test.each<[string, Partial<Model>]>([
  ['a usual load', {}],
  ['a burst', { burst: { at: 2, runs: 2_000 } }],
  ['more than the processes can do', { rates: zipfRates(200, 400) }],
  ['a lost process', { loss: { at: 5, takeoverMs: COSTS.takeoverMs } }],
  ['a slow database', { slow: { from: 5, to: 10, factor: 10 } }],
])('%s: what arrived is done or waits, in both orders the same runs', (_name, change) => {
  const [fair, byArrival] = [true, false].map((isFair) =>
    simulate({ ...SYSTEM, ...change, isFair }),
  );
  for (const outcome of [fair, byArrival]) {
    const { arrived = 0, done = 0, waiting = 0, delaysMs = [] } = outcome ?? {};
    expect(done + waiting).toBe(arrived);
    expect(delaysMs.flat().length).toBeGreaterThanOrEqual(done);
    expect(delaysMs.flat().every((ms) => ms >= 0)).toBe(true);
  }
  expect(fair?.arrived).toBe(byArrival?.arrived);
});

test('the runs of a lost process end, after the takeover', () => {
  const { done, arrived, delaysMs } = simulate({
    ...SYSTEM,
    rates: [100],
    loss: { at: 5, takeoverMs: COSTS.takeoverMs },
  });
  expect(arrived - done).toBeLessThan(50);
  const late = delaysMs.flat().filter((ms) => ms >= COSTS.takeoverMs - 500);
  expect(late.length).toBeGreaterThan(0);
  expect(Math.max(...late)).toBeLessThan(COSTS.takeoverMs + 2_000);
});

test('a queue of c servers waits as Erlang C says', () => {
  const [c, serviceMs, perSecond] = [4, 10, 280];
  const { delaysMs } = simulate({
    ...SYSTEM,
    seconds: 800,
    processes: 1,
    slots: c,
    phases: [{ at: 'outside', ms: serviceMs }],
    rates: [perSecond],
    isFair: false,
  });
  const delays = delaysMs.flat();
  const mean = delays.reduce((sum, ms) => sum + ms, 0) / delays.length;
  expect(Math.abs(mean / erlangWaitMs(c, perSecond, serviceMs) - 1)).toBeLessThan(0.05);
});

/** The mean wait of M/M/c in milliseconds, by the formula of Erlang C. */
function erlangWaitMs(c: number, perSecond: number, serviceMs: number): number {
  const load = (perSecond * serviceMs) / 1_000;
  let blocked = 1; // Erlang B, by its recursion
  for (let n = 1; n <= c; n++) blocked = (load * blocked) / (n + load * blocked);
  const waits = blocked / (1 - (load / c) * (1 - blocked));
  return (waits * serviceMs) / (c - load);
}

test('with fair shares the small tenants wait hardly longer beside a burst of the biggest', () => {
  const smallP99 = (model: Model) => percentile(simulate(model).delaysMs.slice(100).flat(), 0.99);
  const alone = smallP99({ ...SYSTEM, rates: SYSTEM.rates.with(0, 0) });
  const burst = { at: 2, runs: 3_000 };
  expect(smallP99({ ...SYSTEM, burst })).toBeLessThan(2 * alone);
  expect(smallP99({ ...SYSTEM, burst, isFair: false })).toBeGreaterThan(20 * alone);
});
