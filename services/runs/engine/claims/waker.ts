import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { RunModel } from '../../../../models/run.model.ts';

/** Milliseconds after which the timer looks for due runs at the latest; a Node timer must be shorter than 25 days. */
const MAX_SLEEP_MS = 60 * 60 * 1_000;

/**
 * Makes waiting runs ready at their `wakeAt`. A timer is set to the earliest known time: `armTimer` names
 * times of this process, and `wakeDueRuns` reads the times of all processes.
 */
export class Waker {
  readonly #onWoken: () => void;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(options: { onWoken: () => void; onError: (error: unknown) => void }) {
    this.#onWoken = options.onWoken;
    this.#onError = options.onError;
  }

  /** Sets the timer to the time of a waiting run, unless the timer is set to an earlier time. */
  armTimer(at: Date): void {
    const time = at.getTime();
    if (time >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = time;
    const ms = Math.min(Math.max(time - databaseClock.now(), 0), MAX_SLEEP_MS);
    this.#timer = setTimeout(() => {
      this.#at = Number.POSITIVE_INFINITY;
      this.wakeDueRuns().catch(this.#onError);
    }, ms);
  }

  /** Makes the due runs ready, and sets the timer to the time of the next waiting run. */
  async wakeDueRuns(): Promise<void> {
    const next = await RunModel.findOne({ wakeAt: { $gt: new Date(0) } }, { wakeAt: 1 })
      .sort({ wakeAt: 1 })
      .lean();
    if (!next?.wakeAt) return;
    const now = databaseClock.date();
    if (next.wakeAt > now) return this.armTimer(next.wakeAt);
    // A run that another process woke in between has no `wakeAt`, and is not made ready again.
    const { modifiedCount } = await RunModel.updateMany(
      { wakeAt: { $gt: new Date(0), $lte: now } },
      { $set: { ready: true, readyAt: now }, $unset: { wakeAt: 1 } },
    );
    if (modifiedCount) this.#onWoken();
    await this.wakeDueRuns();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.NEGATIVE_INFINITY; // no time is earlier, so that no timer is set
  }
}
