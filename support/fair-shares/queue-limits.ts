import type { Share } from './share.ts';
import type { TurnOrder } from './turn-order.ts';

/** The limits on the number and the time of waiting jobs. Jobs with the same limits object count together. */
export interface QueueLimits {
  /** Waiting jobs of all owners. Beyond it a job of the owner with the most waiting jobs is refused. */
  maxQueued?: number;
  /** Waiting jobs of one owner. Further jobs of the owner are refused. */
  maxQueuedPerOwner?: number;
  /** Waiting jobs of one tenant. Further jobs of the tenant are refused. */
  maxQueuedPerTenant?: number;
  /** Milliseconds that a job may wait; beyond it the job is refused. No limit unless given. */
  queueTimeoutMs?: number;
  /** Makes the error of a refused job. */
  refusal: () => Error;
}

/** Makes room for one job in a full queue: refuses the job, or the newest job of an owner with more waiting jobs. */
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
