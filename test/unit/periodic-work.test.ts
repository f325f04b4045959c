import { isAtRest, noteActivity, onRest } from '../../support/activity.ts';
import { repeatWork } from '../../support/periodic-work.ts';

const SECOND = 1_000;
const REST_AFTER_MS = 30 * SECOND;

beforeEach(() => {
  jest.useFakeTimers();
  noteActivity();
});
afterEach(() => jest.useRealTimers());

/** Repeats work each second. Returns how often the work was done within further milliseconds. */
function everySecond(restFactor?: () => number): (ms: number) => Promise<number> {
  const work = jest.fn(async () => undefined);
  stop = repeatWork(SECOND, work, fail, restFactor);
  return async (ms) => {
    work.mockClear();
    await jest.advanceTimersByTimeAsync(ms);
    return work.mock.calls.length;
  };
}
let stop = () => {};
afterEach(() => stop());
const fail = (error: unknown) => {
  throw error;
};

describe('repeated work', () => {
  it('comes at its interval while the process works, and ten times less often at rest', async () => {
    const timesWithin = everySecond();
    expect(await timesWithin(REST_AFTER_MS)).toBe(30);
    expect(isAtRest()).toBe(false);
    await timesWithin(2 * SECOND);
    expect(isAtRest()).toBe(true);
    expect(await timesWithin(60 * SECOND)).toBe(6);
  });

  it('comes as often at rest where its factor says so', async () => {
    const timesWithin = everySecond(() => 1);
    await timesWithin(REST_AFTER_MS + SECOND);
    expect(await timesWithin(60 * SECOND)).toBe(60);
  });

  it('comes within its interval when the rest ends, and at once where it was nearly due', async () => {
    const timesWithin = everySecond();
    await timesWithin(REST_AFTER_MS + 2 * SECOND);
    noteActivity();
    expect(await timesWithin(SECOND)).toBe(1);
    expect(await timesWithin(5 * SECOND)).toBe(5);
    await timesWithin(REST_AFTER_MS - 5 * SECOND);
    await timesWithin(9_900);
    noteActivity();
    expect(await timesWithin(200)).toBe(1);
  });

  it('ends with its stop, at rest as well', async () => {
    const timesWithin = everySecond();
    await timesWithin(REST_AFTER_MS + 2 * SECOND);
    stop();
    noteActivity();
    expect(await timesWithin(60 * SECOND)).toBe(0);
  });
});

describe('a rest', () => {
  it('is told once each time that it begins', async () => {
    const rested = jest.fn();
    onRest(rested);
    await jest.advanceTimersByTimeAsync(REST_AFTER_MS - 1);
    expect(rested).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(5 * REST_AFTER_MS);
    expect(rested).toHaveBeenCalledTimes(1);
    noteActivity();
    await jest.advanceTimersByTimeAsync(20 * SECOND);
    noteActivity();
    await jest.advanceTimersByTimeAsync(REST_AFTER_MS - 1);
    expect(rested).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(5 * SECOND);
    expect(rested).toHaveBeenCalledTimes(2);
  });
});
