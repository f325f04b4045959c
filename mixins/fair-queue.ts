import type { Share, ShareOwner } from './share.ts';
import { TurnOrder } from './turn-order.ts';

export interface FairQueueOptions {
  /** Jobs under way at once. */
  concurrency: number;
  /** Jobs of that owner under way at once; no limit unless given. */
  perOwner?: (owner: ShareOwner) => number;
  /** Jobs of one tenant under way at once; no limit unless given. */
  perTenant?: number;
  /** Jobs that may wait in all, of one owner and of one tenant; no limit unless given. */
  maxQueued?: number;
  maxQueuedPerOwner?: number;
  maxQueuedPerTenant?: number;
  /** Milliseconds that a job may wait; it is refused then, undone. No limit unless given. */
  queueTimeoutMs?: number;
  /** Whether an owner goes behind the others. */
  isOverShare?: (owner: ShareOwner) => boolean;
  /** The error of a job that is refused. */
  refusal: () => Error;
}

interface Waiter {
  share: Share;
  start: () => void;
  refuse: () => void;
}

/**
 * Does jobs in turn: between owners first, then between an owner's tenants. An owner over their share
 * goes behind the others, and is served when no other could be.
 *
 * When it is full, the newest job of the owner with the longest line is refused, so that nobody can
 * fill it for others.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #waiting = new TurnOrder<Waiter>();
  readonly #ofOwner = new Map<ShareOwner, number>();
  readonly #ofTenant = new Map<string, number>();
  #underWay = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Does the work in its share's turn. Rejects with `refusal` when it is not to be done. */
  async run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    await this.#turnOf(share);
    try {
      return await work();
    } finally {
      this.#count(share, -1);
      this.#startWaiting();
    }
  }

  async #turnOf(share: Share): Promise<void> {
    // Whoever waits may not start now: the end of each job starts all who may.
    if (this.#mayStart(share)) return this.#count(share, 1);
    this.#makeRoom(share);
    await this.#wait(share);
  }

  #wait(share: Share): Promise<void> {
    const { queueTimeoutMs, refusal } = this.#options;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        share,
        start: () => {
          clearTimeout(timer);
          this.#count(share, 1);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          this.#waiting.remove(share, waiter);
          reject(refusal());
        },
      };
      const timer =
        queueTimeoutMs === undefined ? undefined : setTimeout(waiter.refuse, queueTimeoutMs);
      this.#waiting.add(share, waiter);
    });
  }

  /** Refuses the newcomer, or the newest of whoever has more jobs waiting. */
  #makeRoom({ owner, tenant }: Share): void {
    const {
      maxQueued = Number.POSITIVE_INFINITY,
      maxQueuedPerOwner = Number.POSITIVE_INFINITY,
      maxQueuedPerTenant = Number.POSITIVE_INFINITY,
      refusal,
    } = this.#options;
    const queued = this.#waiting.countOf(owner);
    if (queued >= maxQueuedPerOwner) throw refusal();
    if (this.#waiting.countOf(owner, tenant) >= maxQueuedPerTenant) throw refusal();
    if (this.#waiting.size < maxQueued) return;
    const longest = this.#waiting.newestOfLongest();
    if (!longest || this.#waiting.countOf(longest.owner) <= queued + 1) throw refusal();
    longest.item.refuse();
  }

  #mayStart = ({ owner, tenant }: Share): boolean => {
    const {
      concurrency,
      perOwner = () => Number.POSITIVE_INFINITY,
      perTenant = Number.POSITIVE_INFINITY,
    } = this.#options;
    if (this.#underWay >= concurrency) return false;
    if ((this.#ofOwner.get(owner) ?? 0) >= perOwner(owner)) return false;
    return (this.#ofTenant.get(tenant) ?? 0) < perTenant;
  };

  #startWaiting(): void {
    const { isOverShare } = this.#options;
    for (;;) {
      const waiter = this.#waiting.take(this.#mayStart, isOverShare);
      if (!waiter) return;
      waiter.start();
    }
  }

  #count({ owner, tenant }: Share, change: 1 | -1): void {
    this.#underWay += change;
    addTo(this.#ofOwner, owner, change);
    addTo(this.#ofTenant, tenant, change);
  }
}

function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
