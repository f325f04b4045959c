import { setTimeout as sleep } from 'node:timers/promises';
import { outageOf } from '../../../../support/database-outage.ts';
import { outageLog } from '../../../../support/outage-log.ts';

/** Milliseconds before the first retry; each further pause is twice as long. */
const FIRST_PAUSE_MS = 50;
/** The most milliseconds of a pause; further pauses are as long. */
const MAX_PAUSE_MS = 1_000;

/**
 * Does work with the database, and repeats it while the database is away; `isRetry` tells the work that an
 * earlier try may have taken effect. Throws the error of the outage once `lost` is aborted.
 */
export async function retryWhileDatabaseDown<T>(
  lost: AbortSignal,
  work: (isRetry: boolean) => Promise<T>,
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS, isRetry = false; ; isRetry = true) {
    try {
      return await work(isRetry);
    } catch (error) {
      const outage = outageOf(error);
      if (!outage || lost.aborted) throw error;
      outageLog.warn(outage);
      await sleep(pause);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }
}
