/**
 * The branches of a run that only wait: for a time, for a signal, for the end of a child run. While other branches
 * work, or for a short time, they wait in this process; otherwise the run is suspended.
 */
import type { Checkpoint } from './checkpoint.ts';
import type { Host } from './host.ts';
import { Suspension } from './unwind.ts';

/** A branch that waits. */
interface ParkedBranch {
  untilMs: number;
  signal: AbortSignal;
  resolve: () => void;
  reject: (error: Suspension) => void;
}

export class ParkingLot {
  readonly #host: Host;
  readonly #makeCheckpoint: () => Checkpoint | null;
  readonly #parked = new Set<ParkedBranch>();
  /** The number of branches that are not parked. */
  #working = 1;
  /** Ends the sleep under way. */
  #sleep: AbortController | null = null;
  /** Whether a decision is scheduled. */
  #isScheduled = false;

  /** `makeCheckpoint` is called before the branches of a suspended run end. */
  constructor(host: Host, makeCheckpoint: () => Checkpoint | null) {
    this.#host = host;
    this.#makeCheckpoint = makeCheckpoint;
  }

  /** Counts further branches, or the end of branches. */
  addBranches(count: number): void {
    this.#working += count;
    if (count < 0) this.#schedule();
  }

  /**
   * Resolves at the time or earlier; the caller then looks whether its wait is over. Rejects with a `Suspension` when no
   * branch works and the host does not let the run sleep.
   */
  park(untilMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const parked = { untilMs, signal, resolve, reject };
      const leave = () => this.#release(parked);
      signal.addEventListener('abort', leave, { once: true });
      parked.resolve = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#parked.add(parked);
      this.#working -= 1;
      this.#schedule();
    });
  }

  #release(parked: ParkedBranch): void {
    if (!this.#parked.delete(parked)) return;
    this.#working += 1;
    parked.resolve();
  }

  /** Decides once the branches that go on in this turn of the event loop have gone on. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#decide();
    });
  }

  #decide(): void {
    this.#sleep?.abort();
    this.#sleep = null;
    if (this.#parked.size === 0) return;
    const untilMs = Math.min(...[...this.#parked].map((parked) => parked.untilMs));
    if (this.#working > 0 || this.#host.maySleep(untilMs)) this.#sleepUntil(untilMs);
    else this.#suspend(untilMs);
  }

  #suspend(untilMs: number): void {
    const suspension = new Suspension(untilMs, this.#makeCheckpoint());
    for (const { reject } of this.#parked) reject(suspension);
    this.#parked.clear();
  }

  #sleepUntil(untilMs: number): void {
    const sleep = new AbortController();
    this.#sleep = sleep;
    void this.#host.sleep(untilMs, sleep.signal).then((end) => {
      if (sleep.signal.aborted) return;
      this.#sleep = null;
      const now = this.#host.now();
      for (const parked of this.#parked) {
        if (end === 'woken' || parked.untilMs <= now) this.#release(parked);
      }
      this.#schedule();
    });
  }
}
