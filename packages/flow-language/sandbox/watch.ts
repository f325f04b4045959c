/** Watches the CPU time of a busy child and reports when the child has used up its budget. */
import { processCpuMs } from './cpu-time.ts';
import { type Budget, WATCH_MS } from './limits.ts';

export interface Watch {
  /** Begins the next piece of the job, with a budget of its own from the CPU time `cpuMs` on. */
  nextPiece(cpuMs: number): void;
  stop(): void;
  /**
   * Estimates the CPU time of a child that has ended: the latest read CPU time, and the time by the clock since that
   * read, at most `WATCH_MS`.
   */
  latestCpuMs(): number;
}

export interface WatchOptions {
  pid: number;
  /** The child's CPU time in milliseconds when it got the job. */
  cpuMs: number;
  /** The budget of each piece of the job. */
  piece: Budget;
  /** The budget of the whole job. */
  whole: Budget;
  onExceeded(): void;
}

/**
 * Watches a child: reads its CPU time every `WATCH_MS` and calls `onExceeded` beyond a budget. The limit by the clock
 * is much larger than the limit of CPU time, because a child gets little CPU time on a busy machine.
 */
export function watch({ pid, cpuMs, piece, whole, onExceeded }: WatchOptions): Watch {
  const wholeStart = { cpuMs, clockMs: performance.now() };
  let pieceStart = wholeStart;
  let latest = wholeStart;
  let stopped = false;
  const check = () => {
    const readMs = processCpuMs(pid);
    const now = { cpuMs: readMs ?? 0, clockMs: performance.now() };
    if (readMs !== null) latest = now;
    if (stopped || !(isOver(pieceStart, now, piece) || isOver(wholeStart, now, whole))) return;
    onExceeded();
  };
  // `setImmediate` lets messages of the child that wait in this process be read before the check.
  const timer = setInterval(() => setImmediate(check), WATCH_MS);
  return {
    nextPiece(spentMs) {
      pieceStart = { cpuMs: spentMs, clockMs: performance.now() };
    },
    stop() {
      stopped = true;
      clearInterval(timer);
    },
    latestCpuMs: () => latest.cpuMs + Math.min(WATCH_MS, performance.now() - latest.clockMs),
  };
}

function isOver(start: Budget, now: Budget, budget: Budget): boolean {
  return now.cpuMs - start.cpuMs > budget.cpuMs || now.clockMs - start.clockMs > budget.clockMs;
}
