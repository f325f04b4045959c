import { databaseClock } from '../../../mixins/database/database-clock.ts';
import type { OldestWaiting } from '../contract/operations.ts';
import { findLongestFree } from './lanes/find-lanes.ts';
import { findOldestFailed } from './lanes/pending-deliveries.ts';

/**
 * Finds the time since when a delivery waits: the oldest event that waits after a failed attempt, the lane that has been due
 * for longest without a process that delivers, and `inMemory`, the oldest event in this process.
 */
export async function findOldestWaiting(inMemory: Date | null): Promise<OldestWaiting> {
  const found = await Promise.all([findOldestFailed(), findLongestFree(databaseClock.date())]);
  const times = [inMemory, ...found].flatMap((time) => time?.getTime() ?? []);
  return { since: times.length ? new Date(Math.min(...times)).toISOString() : null };
}
