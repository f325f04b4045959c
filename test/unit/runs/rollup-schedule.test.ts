import { RollupScheduler } from '../../../services/runs/statistics/rollup-scheduler.ts';
import { type Batch, RollupWriter } from '../../../services/runs/statistics/rollup-writer.ts';
import { Standby } from '../../../services/runs/statistics/standby.ts';

let rounds: jest.SpyInstance<Promise<Batch>>;
let checks: jest.SpyInstance<Promise<boolean>>;
beforeEach(() => {
  jest.useFakeTimers();
  rounds = jest.spyOn(RollupWriter.prototype, 'writeBatch').mockResolvedValue(batchOf(0));
  checks = jest.spyOn(Standby.prototype, 'check').mockResolvedValue(false);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const batchOf = (runs: number, isContended = false): Batch => ({ runs, isContended });
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** The numbers of rounds and checks so far. */
const counts = () => [rounds.mock.calls.length, checks.mock.calls.length];

async function startedScheduler(failed = jest.fn()): Promise<RollupScheduler> {
  const scheduler = new RollupScheduler(failed);
  scheduler.start();
  await pass(0);
  return scheduler;
}
/** The second check of a scheduler that goes on standby now is 3 s later. */
const delayChecks = () => jest.spyOn(Math, 'random').mockReturnValue(0.999);
async function schedulerOnStandby(failed = jest.fn()): Promise<RollupScheduler> {
  rounds.mockResolvedValueOnce(batchOf(3, true));
  return startedScheduler(failed);
}

test('a full round is followed at once, another one in half a second, and an empty one in 5 s', async () => {
  for (const runs of [200, 200, 7]) rounds.mockResolvedValueOnce(batchOf(runs));
  await startedScheduler();
  expect(counts()).toEqual([1, 0]);
  await pass(2);
  expect(counts()).toEqual([3, 0]);
  await pass(498);
  expect(counts()).toEqual([3, 0]);
  await pass(10);
  expect(counts()).toEqual([4, 0]);
  await pass(4_900);
  expect(counts()).toEqual([4, 0]);
  await pass(100);
  expect(counts()).toEqual([5, 0]);
});

test('runs that come together are added together', async () => {
  const scheduler = await startedScheduler();
  for (let n = 0; n < 5; n++) {
    scheduler.notify();
    await pass(99);
  }
  expect(counts()).toEqual([1, 0]);
  await pass(5);
  expect(counts()).toEqual([2, 0]);
});

test('a scheduler that met another one checks about once a second, however often it is notified', async () => {
  const scheduler = await schedulerOnStandby();
  expect(counts()).toEqual([1, 0]);
  for (let n = 0; n < 9; n++) {
    scheduler.notify();
    await pass(100);
  }
  expect(counts()).toEqual([1, 0]);
  await pass(600);
  expect(counts()).toEqual([1, 1]);
  for (let n = 0; n < 20; n++) await pass(1_500);
  const [written, checked = 0] = counts();
  expect(written).toBe(1);
  expect(checked).toBeGreaterThan(20);
  expect(checked).toBeLessThanOrEqual(31);
});

test('a scheduler on standby goes on at once when no other is active', async () => {
  delayChecks();
  const scheduler = await schedulerOnStandby();
  checks.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  await pass(3_010);
  expect(counts()).toEqual([2, 2]);
  scheduler.notify();
  await pass(500);
  expect(counts()).toEqual([3, 2]);
});

test('a scheduler that took over looks for runs of others more often than they check', async () => {
  delayChecks();
  await schedulerOnStandby();
  checks.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  await pass(3_010);
  const [rounded = 0] = counts();
  await pass(4_000);
  expect(counts()[0]).toBeGreaterThanOrEqual(rounded + 4);
});

test('a notification during a round which finds nothing is followed by another in half a second', async () => {
  const round = Promise.withResolvers<Batch>();
  rounds.mockReturnValueOnce(round.promise);
  const scheduler = await startedScheduler();
  scheduler.notify();
  round.resolve(batchOf(0));
  await pass(510);
  expect(counts()).toEqual([2, 0]);
});

test('a scheduler on standby goes on checking when a check fails', async () => {
  delayChecks();
  const failed = jest.fn();
  await schedulerOnStandby(failed);
  checks.mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce(true);
  await pass(3_010);
  expect(failed.mock.calls).toEqual([[new Error('away')]]);
  expect(counts()).toEqual([2, 2]);
});

test('a scheduler that stops writes once more, one on standby does not', async () => {
  const [active, standby] = [await startedScheduler(), await schedulerOnStandby()];
  expect(counts()).toEqual([2, 0]);
  await standby.stop();
  expect(counts()).toEqual([2, 0]);
  await active.stop();
  await pass(10_000);
  expect(counts()).toEqual([3, 0]);
});

test('a stop waits for the round under way, and leaves the last one to the scheduler that it met', async () => {
  const round = Promise.withResolvers<Batch>();
  rounds.mockReturnValueOnce(round.promise);
  const scheduler = await startedScheduler();
  const stopped = scheduler.stop();
  round.resolve(batchOf(3, true));
  await stopped;
  await pass(10_000);
  expect(counts()).toEqual([1, 0]);
});
