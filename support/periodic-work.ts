import { isIdle, noteActivity, onActivity } from './activity.ts';

/**
 * Repeats work, with `ms` milliseconds between an end and the next start, and `idleFactor` times as many while the process
 * is idle. The next activity leaves `ms` milliseconds of a pause at most. Returns a function that stops the work.
 */
export function repeatWork(
  ms: number | (() => number),
  work: () => Promise<unknown> | undefined,
  failed: (error: unknown) => void,
  idleFactor: number | (() => number) = 1,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let endPause = () => {};
  const round = async () => {
    endPause();
    try {
      await work();
    } catch (error) {
      noteActivity(); // a failure, such as one of the database, is followed by the usual pace
      failed(error);
    }
    if (!stopped) pause();
  };
  const arm = (pauseMs: number) => {
    timer = setTimeout(round, pauseMs).unref();
  };
  const pause = () => {
    const normalMs = current(ms);
    const pauseMs = isIdle() ? normalMs * current(idleFactor) : normalMs;
    arm(pauseMs);
    if (pauseMs === normalMs) return;
    const due = performance.now() + pauseMs;
    endPause = onActivity(() => {
      clearTimeout(timer);
      arm(Math.min(normalMs, Math.max(due - performance.now(), 0)));
    });
  };
  pause();
  return () => {
    stopped = true;
    clearTimeout(timer);
    endPause();
  };
}

const current = (value: number | (() => number)): number =>
  typeof value === 'number' ? value : value();
