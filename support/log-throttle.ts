/** Milliseconds within which a further line with the same key is not logged. */
const REPEAT_AFTER_MS = 60_000;

/** Allows one line a minute for each key. */
export class LogThrottle<K> {
  readonly #now: () => number;
  /** The time of the last allowed line, by key. The keys of a log are few, so none is dropped. */
  readonly #allowedAt = new Map<K, number>();

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a line with the key may be logged now. A line that is allowed begins the next minute. */
  allows(key: K): boolean {
    const now = this.#now();
    const last = this.#allowedAt.get(key);
    if (last !== undefined && now - last < REPEAT_AFTER_MS) return false;
    this.#allowedAt.set(key, now);
    return true;
  }
}
