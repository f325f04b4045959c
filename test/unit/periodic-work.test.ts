import { IDLE_FACTOR, isIdle, noteActivity, onIdle, whileActive } from '../../support/activity.ts';
import { repeatWork } from '../../support/periodic-work.ts';

const SECOND = 1_000;
const IDLE_AFTER_MS = 30 * SECOND;

beforeEach(() => {
  jest.useFakeTimers();
  noteActivity();
});
afterEach(() => jest.useRealTimers());

/** Repeats work each second. Returns how often the work was done within further milliseconds. */
function everySecond(idleFactor?: number): (ms: number) => Promise<number> {
  const work = jest.fn(async () => undefined);
  stop = repeatWork(SECOND, work, fail, idleFactor);
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
  it('comes at its interval while the process is active, and less often while it is idle', async () => {
    const timesWithin = everySecond(IDLE_FACTOR);
    expect(await timesWithin(IDLE_AFTER_MS)).toBe(30);
    expect(isIdle()).toBe(false);
    await timesWithin(2 * SECOND);
    expect(isIdle()).toBe(true);
    expect(await timesWithin(60 * SECOND)).toBe(60 / IDLE_FACTOR);
  });

  it('keeps its interval while the process is idle unless it has a factor', async () => {
    const timesWithin = everySecond();
    await timesWithin(IDLE_AFTER_MS + SECOND);
    expect(await timesWithin(60 * SECOND)).toBe(60);
  });

  it('comes within its interval after the next activity, and at once where it was nearly due', async () => {
    const timesWithin = everySecond(IDLE_FACTOR);
    await timesWithin(IDLE_AFTER_MS + 2 * SECOND);
    noteActivity();
    expect(await timesWithin(SECOND)).toBe(1);
    expect(await timesWithin(5 * SECOND)).toBe(5);
    await timesWithin(IDLE_AFTER_MS - 5 * SECOND);
    await timesWithin(IDLE_FACTOR * SECOND - 100);
    noteActivity();
    expect(await timesWithin(200)).toBe(1);
  });

  it('comes at its interval after a failure', async () => {
    const failed = jest.fn();
    const work = jest.fn(async () => undefined);
    stop = repeatWork(SECOND, work, failed, IDLE_FACTOR);
    await jest.advanceTimersByTimeAsync(IDLE_AFTER_MS + SECOND);
    work.mockRejectedValueOnce(new Error('the database is away'));
    await jest.advanceTimersByTimeAsync(IDLE_FACTOR * SECOND);
    expect(failed).toHaveBeenCalledTimes(1);
    work.mockClear();
    await jest.advanceTimersByTimeAsync(5 * SECOND);
    expect(work).toHaveBeenCalledTimes(5);
  });

  it('ends with its stop, while the process is idle as well', async () => {
    const timesWithin = everySecond(IDLE_FACTOR);
    await timesWithin(IDLE_AFTER_MS + 2 * SECOND);
    stop();
    noteActivity();
    expect(await timesWithin(60 * SECOND)).toBe(0);
  });
});

describe('a process', () => {
  it('becomes idle once after each activity, and not while one is under way', async () => {
    const idle = jest.fn();
    onIdle(idle);
    await jest.advanceTimersByTimeAsync(IDLE_AFTER_MS - 1);
    expect(idle).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(5 * IDLE_AFTER_MS);
    expect(idle).toHaveBeenCalledTimes(1);
    const call = Promise.withResolvers<void>();
    const called = whileActive(() => call.promise);
    await jest.advanceTimersByTimeAsync(5 * IDLE_AFTER_MS);
    call.resolve();
    await called;
    await jest.advanceTimersByTimeAsync(IDLE_AFTER_MS - SECOND);
    expect(idle).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(2 * IDLE_AFTER_MS);
    expect(idle).toHaveBeenCalledTimes(2);
  });
});
