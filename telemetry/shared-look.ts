import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a scrape waits for a look: shorter than any scraper does. */
const WITHIN_MS = 1_000;

/**
 * One look for all who ask while it is under way, also for those of later scrapes. Null when it fails or
 * is not back in time: what it would have told is missing then, and nothing else is.
 */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T | null> {
  let underWay: Promise<T | null> | undefined;
  return () => {
    underWay ??= look()
      .catch(() => null)
      .finally(() => {
        underWay = undefined;
      });
    return Promise.race([underWay, sleep(WITHIN_MS, null, { ref: false })]);
  };
}
