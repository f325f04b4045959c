import { setTimeout as sleep } from 'node:timers/promises';
import { outageOf } from '../../../../support/database-outage.ts';
import { outageLog } from '../../../../support/outage-log.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Does a piece of work with the database, and does it again for as long as the database is away.
 * `isRetry` says that an earlier try may have had its effect. Ends with the error once `lost` is aborted.
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
