import { SlidingSum } from './sliding-sum.ts';

/** Milliseconds of a bucket. The window slides by one bucket, so an event counts for 55 to 60 s. */
const BUCKET_MS = 5_000;
/** Buckets of the window, which is 60 s. Events in older buckets no longer count. */
const BUCKETS = 12;
/** Keys that are counted. Beyond it the key with the oldest event is dropped. */
const MAX_KEYS = 10_000;

/** The number of events of the last minute, by key. */
export class RecentCounts {
  readonly #now: () => number;
  /** The counts by key, in the order of their last events. */
  readonly #counts = new Map<string, SlidingSum>();

  /** `now` is a monotonic clock, in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(key: string): void {
    const count = this.#counts.get(key) ?? new SlidingSum(BUCKETS);
    count.add(this.#bucket(), 1);
    this.#counts.delete(key);
    this.#counts.set(key, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_KEYS && oldest !== undefined) this.#counts.delete(oldest);
  }

  of(key: string): number {
    return this.#counts.get(key)?.at(this.#bucket()) ?? 0;
  }

  #bucket(): number {
    return Math.floor(this.#now() / BUCKET_MS);
  }
}
