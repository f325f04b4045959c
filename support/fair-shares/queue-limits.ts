import type { Share } from './share.ts';
import type { TurnOrder } from './turn-order.ts';

/** How many jobs of one kind may wait, and for how long. Jobs with the same limits object count together. */
export interface QueueLimits {
  /** Jobs that may wait in all, of one owner and of one tenant; no limit unless given. */
  maxQueued?: number;
  maxQueuedPerOwner?: number;
  maxQueuedPerTenant?: number;
  /** Milliseconds that a job may wait; beyond it the job is refused. No limit unless given. */
  queueTimeoutMs?: number;
  /** The error of a job that is refused. */
  refusal: () => Error;
}

/** Makes room for one job: refuses that job, or the newest one of an owner with more waiting jobs. */
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
