import { makeRoom, type QueueLimits } from './queue-limits.ts';
import type { Share, ShareOwner } from './share.ts';
import { TurnOrder } from './turn-order.ts';

/** The limits are those of every job that is given none of its own. */
export interface FairQueueOptions extends QueueLimits {
  /** Jobs under way at once. */
  concurrency: number;
  /** Jobs of that owner under way at once; no limit unless given. */
  perOwner?: (owner: ShareOwner) => number;
  /** Jobs of one tenant under way at once; no limit unless given. */
  perTenant?: number;
  /** How much an owner has used lately, from 0: those of a lower level go before all of a higher one. */
  levelOf?: (owner: ShareOwner) => number;
  /** Jobs under way at once of all owners above level 0, at least 1; no limit unless given. */
  aboveLevel0?: number;
}

interface Waiter {
  share: Share;
  start: () => void;
  refuse: () => void;
}

/**
 * Does jobs in turn: between owners of the lowest level first, then between an owner's tenants. However
 * many owners have used a lot, one who has not goes before all of them.
 *
 * When it is full, the newest job of the owner with the longest line is refused, so that nobody can
 * fill it for others.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #waiting = new TurnOrder<Waiter>();
  /** Those that wait, once more, by their limits. */
  readonly #waitingWith = new Map<QueueLimits, TurnOrder<Waiter>>();
  readonly #ofOwner = new Map<ShareOwner, number>();
  readonly #ofTenant = new Map<string, number>();
  #underWay = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Does the work in its share's turn. Rejects with `refusal` when it is not to be done. */
  async run<T>(
    share: Share,
    work: () => Promise<T>,
    limits: QueueLimits = this.#options,
  ): Promise<T> {
    await this.#turnOf(share, limits);
    try {
      return await work();
    } finally {
      this.#count(share, -1);
      this.#startWaiting();
    }
  }

  async #turnOf(share: Share, limits: QueueLimits): Promise<void> {
    // Whoever waits may not start now: the end of each job starts all who may.
    if (this.#mayStart(share)) return this.#count(share, 1);
    const alike = this.#waitingWith.get(limits) ?? new TurnOrder<Waiter>();
    this.#waitingWith.set(limits, alike);
    makeRoom(share, limits, alike);
    await this.#wait(share, limits, alike);
  }

  #wait(
    share: Share,
    { queueTimeoutMs, refusal }: QueueLimits,
    alike: TurnOrder<Waiter>,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        share,
        start: () => {
          clearTimeout(timer);
          alike.remove(share, waiter);
          this.#count(share, 1);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          alike.remove(share, waiter);
          this.#waiting.remove(share, waiter);
          reject(refusal());
        },
      };
      const timer =
        queueTimeoutMs === undefined ? undefined : setTimeout(waiter.refuse, queueTimeoutMs);
      alike.add(share, waiter);
      this.#waiting.add(share, waiter);
    });
  }

  #mayStart = ({ owner, tenant }: Share): boolean => {
    const {
      concurrency,
      perOwner = () => Number.POSITIVE_INFINITY,
      perTenant = Number.POSITIVE_INFINITY,
    } = this.#options;
    if (this.#underWay >= concurrency) return false;
    if ((this.#ofOwner.get(owner) ?? 0) >= perOwner(owner)) return false;
    if ((this.#ofTenant.get(tenant) ?? 0) >= perTenant) return false;
    return this.#levelOf(owner) === 0 || this.#mayStartAbove0();
  };

  #levelOf = (owner: ShareOwner): number => this.#options.levelOf?.(owner) ?? 0;

  #mayStartAbove0(): boolean {
    const { aboveLevel0 = Number.POSITIVE_INFINITY } = this.#options;
    let underWay = 0;
    for (const [owner, count] of this.#ofOwner) if (this.#levelOf(owner) > 0) underWay += count;
    return underWay < aboveLevel0;
  }

  #startWaiting(): void {
    for (;;) {
      const waiter = this.#waiting.take(this.#mayStart, this.#levelOf);
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
