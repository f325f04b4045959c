/** Milliseconds for which a delivery is retried, counted from its recording or replay; then it is FAILED. */
export const RETRY_MS = 24 * 3600 * 1000;
/**
 * Milliseconds before its event at which a delivery is first due. While clocks of processes differ by less, each delivery
 * is due at once, and the due times of a resource have the order of its positions. Beyond that they may not.
 */
const DUE_BEFORE_MS = 10_000;
/** The time of the first attempt of a delivery. `eventTime` and `now` are milliseconds since the epoch. */
export const firstAttemptAt = (eventTime: number, now: number): Date =>
  new Date(Math.min(now, eventTime - DUE_BEFORE_MS));
/** Milliseconds without a successful attempt after which a subscription is switched off. */
export const SWITCH_OFF_MS = 24 * 3600 * 1000;
/** Milliseconds of the longest delay after the first failed attempt, doubled by each further one. */
const FIRST_BACKOFF_MS = 4_000;
/** Milliseconds of the longest delay. Further failures do not increase it. */
const MAX_BACKOFF_MS = 3600 * 1000;
/** Milliseconds of the shortest delay, so that full jitter does not repeat an attempt at once. */
const MIN_BACKOFF_MS = 500;

/**
 * Milliseconds until the next attempt after the given number of failed ones: exponential backoff with full jitter.
 * `random` is a number from 0 to below 1.
 */
export function backoffOf(failures: number, random = Math.random()): number {
  const most = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
  return MIN_BACKOFF_MS + Math.floor(random * (most - MIN_BACKOFF_MS));
}
