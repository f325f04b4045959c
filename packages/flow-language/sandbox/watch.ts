/** Watches what a busy child costs and says when it has had enough. */
import { processCpuMs } from './cpu-time.ts';
import { type Budget, WATCH_MS } from './limits.ts';

export interface Watch {
  /** A piece of the job is done: the next has a budget of its own from `cpuMs` on. */
  nextPiece(cpuMs: number): void;
  stop(): void;
  /**
   * The child's CPU time, which can't be read from a child that has ended: as it was last read, and all time
   * by the clock since then, at most `WATCH_MS`.
   */
  latestCpuMs(): number;
}

export interface WatchOptions {
  pid: number;
  /** The child's CPU time when it got the job. */
  cpuMs: number;
  /** For each piece of the job. */
  piece: Budget;
  /** For all of it. */
  whole: Budget;
  onExceeded(): void;
}

/**
 * The clock alone would punish whoever computes on a busy machine, so it is only the outer bound:
 * the child's CPU time decides, read anew every `WATCH_MS`.
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
  // Messages that came while this process itself was busy are read before the second look.
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
