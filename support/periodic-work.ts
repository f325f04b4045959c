import { isAtRest, onEndOfRest, REST_FACTOR } from './activity.ts';

/**
 * Repeats work, with `ms` milliseconds between an end and the next start, and `restFactor()` times as many while the
 * process is at rest. When the rest ends, `ms` milliseconds are left of a pause at most. Returns a function that stops
 * the work.
 */
export function repeatWork(
  ms: number | (() => number),
  work: () => Promise<unknown> | undefined,
  failed: (error: unknown) => void,
  restFactor = () => REST_FACTOR,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let forgetRest = () => {};
  const round = async () => {
    forgetRest();
    try {
      await work();
    } catch (error) {
      failed(error);
    }
    if (!stopped) pause();
  };
  const arm = (pauseMs: number) => {
    timer = setTimeout(round, pauseMs).unref();
  };
  const pause = () => {
    const normalMs = typeof ms === 'number' ? ms : ms();
    const factor = isAtRest() ? restFactor() : 1;
    arm(normalMs * factor);
    if (factor === 1) return;
    const due = performance.now() + normalMs * factor;
    forgetRest = onEndOfRest(() => {
      clearTimeout(timer);
      arm(Math.min(normalMs, Math.max(due - performance.now(), 0)));
    });
  };
  pause();
  return () => {
    stopped = true;
    clearTimeout(timer);
    forgetRest();
  };
}
