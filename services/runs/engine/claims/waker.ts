import { RunModel } from '../../../../models/run.model.ts';

/** It looks again after that long at the latest. */
const MAX_SLEEP_MS = 60 * 60 * 1_000;

/**
 * Makes waiting runs ready when their time has come. It knows the earliest one: at once what this
 * process suspends, by `look` what others did.
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

  /** A run waits until then. */
  armTimer(at: Date): void {
    const time = at.getTime();
    if (time >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = time;
    const ms = Math.min(Math.max(time - Date.now(), 0), MAX_SLEEP_MS);
    this.#timer = setTimeout(() => {
      this.#at = Number.POSITIVE_INFINITY;
      this.wakeDueRuns().catch(this.#onError);
    }, ms);
  }

  /** Wakes what is due and sets the timer to what comes next. */
  async wakeDueRuns(): Promise<void> {
    const next = await RunModel.findOne({ wakeAt: { $gt: new Date(0) } }, { wakeAt: 1 })
      .sort({ wakeAt: 1 })
      .lean();
    if (!next?.wakeAt) return;
    const now = new Date();
    if (next.wakeAt > now) return this.armTimer(next.wakeAt);
    // A claim that comes in between leaves no `wakeAt`: it is woken already.
    const { modifiedCount } = await RunModel.updateMany(
      { wakeAt: { $gt: new Date(0), $lte: now } },
      { $set: { ready: true, readyAt: now }, $unset: { wakeAt: 1 } },
    );
    if (modifiedCount) this.#onWoken();
    await this.wakeDueRuns();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.NEGATIVE_INFINITY; // nothing is earlier
  }
}
