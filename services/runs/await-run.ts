import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../../support/database-outage.ts';
import type { ShownRun } from './show-run.ts';

/** Milliseconds that the last read of a run may take. Beyond this time the answer shows the run as it was stored. */
const READ_TIMEOUT_MS = 2_000;

/**
 * Returns the run at its end, or in its state when the wait is over. While the database cannot be read, the run
 * is returned as it was stored.
 */
export async function awaitRun(
  stored: ShownRun,
  ended: Promise<ShownRun | null>,
  readRun: (runId: number) => Promise<ShownRun>,
): Promise<ShownRun> {
  const run = await ended;
  if (run) return run;
  const timeout = new AbortController();
  try {
    return await Promise.race([
      readRun(stored._id),
      sleep(READ_TIMEOUT_MS, stored, { signal: timeout.signal }),
    ]);
  } catch (error) {
    if (isDatabaseAway(error)) return stored;
    throw error;
  } finally {
    timeout.abort('read');
  }
}
