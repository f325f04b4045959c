import { databaseClock } from '../../../../mixins/database/database-clock.ts';

/**
 * Milliseconds after a run's deadline at which the run is interrupted. The interpreter checks the deadline
 * itself; this timer interrupts work that does not check the deadline.
 */
const OVERDUE_GRACE_MS = 1_000;
/** The most milliseconds of one timer of Node, which fires at once beyond them. A later deadline takes several timers. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls a function when a run is overdue by the clock of the database, and `OVERDUE_GRACE_MS` after the start at least. */
export class DeadlineTimer {
  readonly #overdueAt: number;
  readonly #onOverdue: () => void;
  #timer: NodeJS.Timeout;

  constructor(deadline: Date, onOverdue: () => void) {
    this.#overdueAt = deadline.getTime() + OVERDUE_GRACE_MS;
    this.#onOverdue = onOverdue;
    this.#timer = this.#arm(Math.max(this.#leftMs, OVERDUE_GRACE_MS));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  get #leftMs(): number {
    return this.#overdueAt - databaseClock.now();
  }

  #arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#endTimer(), Math.min(ms, MAX_TIMER_MS));
  }

  #endTimer(): void {
    const left = this.#leftMs;
    if (left > 0) this.#timer = this.#arm(left);
    else this.#onOverdue();
  }
}
