import type { Share } from './share.ts';
import type { TurnOrder } from './turn-order.ts';

/** What may wait of one kind of job: jobs with the same limits count together. */
export interface QueueLimits {
  /** Jobs that may wait in all, of one owner and of one tenant; no limit unless given. */
  maxQueued?: number;
  maxQueuedPerOwner?: number;
  maxQueuedPerTenant?: number;
  /** Milliseconds that a job may wait; it is refused then, undone. No limit unless given. */
  queueTimeoutMs?: number;
  /** The error of a job that is refused. */
  refusal: () => Error;
}

/** Refuses the newcomer, or the newest of whoever has more jobs waiting with these limits. */
export function makeRoom<T extends { refuse: () => void }>(
  { owner, tenant }: Share,
  {
    maxQueued = Number.POSITIVE_INFINITY,
    maxQueuedPerOwner = Number.POSITIVE_INFINITY,
    maxQueuedPerTenant = Number.POSITIVE_INFINITY,
    refusal,
  }: QueueLimits,
  alike: TurnOrder<T>,
): void {
  const queued = alike.countOf(owner);
  if (queued >= maxQueuedPerOwner) throw refusal();
  if (alike.countOf(owner, tenant) >= maxQueuedPerTenant) throw refusal();
  if (alike.size < maxQueued) return;
  const longest = alike.newestOfLongest();
  if (!longest || alike.countOf(longest.owner) <= queued + 1) throw refusal();
  longest.item.refuse();
}
