import { Poster } from '../../../services/runs/statistics/rollup-scheduler.ts';
import { type Batch, Posting } from '../../../services/runs/statistics/rollup-writer.ts';
import { Standby } from '../../../services/runs/statistics/standby.ts';

let rounds: jest.SpyInstance<Promise<Batch>>;
let looks: jest.SpyInstance<Promise<boolean>>;
beforeEach(() => {
  jest.useFakeTimers();
  rounds = jest.spyOn(Posting.prototype, 'postBatch').mockResolvedValue(batchOf(0));
  looks = jest.spyOn(Standby.prototype, 'look').mockResolvedValue(false);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const batchOf = (runs: number, isContended = false): Batch => ({ runs, isContended });
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** How many rounds and looks there have been. */
const counts = () => [rounds.mock.calls.length, looks.mock.calls.length];

async function startedPoster(failed = jest.fn()): Promise<Poster> {
  const poster = new Poster(failed);
  poster.start();
  await pass(0);
  return poster;
}
/** The second look of a poster that goes on standby now is 3 s later. */
const lookLate = () => jest.spyOn(Math, 'random').mockReturnValue(0.999);
async function posterOnStandby(failed = jest.fn()): Promise<Poster> {
  rounds.mockResolvedValueOnce(batchOf(3, true));
  return startedPoster(failed);
}

test('a full round is followed at once, another one in half a second, and an empty one in 5 s', async () => {
  for (const runs of [200, 200, 7]) rounds.mockResolvedValueOnce(batchOf(runs));
  await startedPoster();
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

test('runs that come together are posted together', async () => {
  const poster = await startedPoster();
  for (let n = 0; n < 5; n++) {
    poster.note();
    await pass(99);
  }
  expect(counts()).toEqual([1, 0]);
  await pass(5);
  expect(counts()).toEqual([2, 0]);
});

test('a poster that met another one looks about once a second, whatever is told', async () => {
  const poster = await posterOnStandby();
  expect(counts()).toEqual([1, 0]);
  for (let n = 0; n < 9; n++) {
    poster.note();
    await pass(100);
  }
  expect(counts()).toEqual([1, 0]);
  await pass(600);
  expect(counts()).toEqual([1, 1]);
  for (let n = 0; n < 20; n++) await pass(1_500);
  const [posted, looked = 0] = counts();
  expect(posted).toBe(1);
  expect(looked).toBeGreaterThan(20);
  expect(looked).toBeLessThanOrEqual(31);
});

test('a poster on standby goes on at once when nobody posts', async () => {
  lookLate();
  const poster = await posterOnStandby();
  looks.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  await pass(3_010);
  expect(counts()).toEqual([2, 2]);
  poster.note();
  await pass(500);
  expect(counts()).toEqual([3, 2]);
});

test('a poster that took over looks for runs of others more often than they look', async () => {
  lookLate();
  await posterOnStandby();
  looks.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  await pass(3_010);
  const [rounded = 0] = counts();
  await pass(4_000);
  expect(counts()[0]).toBeGreaterThanOrEqual(rounded + 4);
});

test('news that comes during a round which finds nothing is posted in half a second', async () => {
  const round = Promise.withResolvers<Batch>();
  rounds.mockReturnValueOnce(round.promise);
  const poster = await startedPoster();
  poster.note();
  round.resolve(batchOf(0));
  await pass(510);
  expect(counts()).toEqual([2, 0]);
});

test('a poster on standby goes on looking when a look fails', async () => {
  lookLate();
  const failed = jest.fn();
  await posterOnStandby(failed);
  looks.mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce(true);
  await pass(3_010);
  expect(failed.mock.calls).toEqual([[new Error('away')]]);
  expect(counts()).toEqual([2, 2]);
});

test('a poster that stops posts once more, one on standby does not', async () => {
  const [active, standby] = [await startedPoster(), await posterOnStandby()];
  expect(counts()).toEqual([2, 0]);
  await standby.stop();
  expect(counts()).toEqual([2, 0]);
  await active.stop();
  await pass(10_000);
  expect(counts()).toEqual([3, 0]);
});

test('a stop waits for the round under way, and leaves the last one to the poster that it met', async () => {
  const round = Promise.withResolvers<Batch>();
  rounds.mockReturnValueOnce(round.promise);
  const poster = await startedPoster();
  const stopped = poster.stop();
  round.resolve(batchOf(3, true));
  await stopped;
  await pass(10_000);
  expect(counts()).toEqual([1, 0]);
});
