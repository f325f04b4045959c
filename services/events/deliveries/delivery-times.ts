/** Milliseconds for which a delivery is retried, counted from its recording or replay; then it is FAILED. */
export const RETRY_MS = 24 * 3600 * 1000;
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
