/** Attempts of one subscription in flight at once. */
const MOST = 16;

/**
 * The number of attempts of a subscription that may be in flight: one more after each success, half after each failure. A
 * receiver that fails gets one attempt at a time, so that it takes few places from others.
 */
export class AdaptiveLimit {
  #limit = MOST;

  get value(): number {
    return Math.floor(this.#limit);
  }

  succeed(): void {
    this.#limit = Math.min(MOST, this.#limit + 1);
  }

  fail(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }
}
