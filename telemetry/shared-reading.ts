import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a scrape waits for a reading, fewer than scrapers wait. Then the scrape lacks its metrics. */
const TIMEOUT_MS = 1_000;

/**
 * Shares one reading between all callers while it is in flight, those of later scrapes included. Resolves
 * with null when the reading fails or times out.
 */
export function shareReading<T>(read: () => Promise<T>): () => Promise<T | null> {
  let inFlight: Promise<T | null> | undefined;
  return () => {
    inFlight ??= read()
      .catch(() => null)
      .finally(() => {
        inFlight = undefined;
      });
    return Promise.race([inFlight, sleep(TIMEOUT_MS, null, { ref: false })]);
  };
}
