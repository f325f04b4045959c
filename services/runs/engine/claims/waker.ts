import { RunModel } from '../../../../models/run.model.ts';

/** It looks again after that long at the latest. */
const LONGEST_SLEEP_MS = 60 * 60 * 1_000;

/**
 * Makes waiting runs ready when their time has come. It knows the earliest one: at once what this
 * process suspends, by `look` what others did.
 */
export class Waker {
  readonly #woken: () => void;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(options: { woken: () => void; failed: (error: unknown) => void }) {
    this.#woken = options.woken;
    this.#failed = options.failed;
  }

  /** A run waits until then. */
  arm(at: Date): void {
    const time = at.getTime();
    if (time >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = time;
    const ms = Math.min(Math.max(time - Date.now(), 0), LONGEST_SLEEP_MS);
    this.#timer = setTimeout(() => {
      this.#at = Number.POSITIVE_INFINITY;
      this.look().catch(this.#failed);
    }, ms);
  }

  /** Wakes what is due and sets the timer to what comes next. */
  async look(): Promise<void> {
    const next = await RunModel.findOne({ wakeAt: { $gt: new Date(0) } }, { wakeAt: 1 })
      .sort({ wakeAt: 1 })
      .lean();
    if (!next?.wakeAt) return;
    const now = new Date();
    if (next.wakeAt > now) return this.arm(next.wakeAt);
    // A claim that comes in between leaves no `wakeAt`: it is woken already.
    const { modifiedCount } = await RunModel.updateMany(
      { wakeAt: { $gt: new Date(0), $lte: now } },
      { $set: { ready: true, readyAt: now }, $unset: { wakeAt: 1 } },
    );
    if (modifiedCount) this.#woken();
    await this.look();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.NEGATIVE_INFINITY; // nothing is earlier
  }
}
