import { FairCapacity } from './fair-capacity.ts';
import { makeRoom, type QueueLimits } from './queue-limits.ts';
import type { Share, ShareOwner } from './share.ts';
import { TurnOrder } from './turn-order.ts';

/** The options of a fair queue. Its queue limits are the default for jobs without limits of their own. */
export interface FairQueueOptions extends QueueLimits {
  /** Jobs in flight at once. */
  concurrency: number;
  /**
   * Whether the jobs in flight are divided as a `FairCapacity` is: the more of them an owner has, the more must stay
   * free for other owners. An owner alone gets three quarters of `concurrency`.
   */
  isDivided?: boolean;
  /** Places that only owners without a job in flight get; none unless given. */
  reservedForNewOwners?: number;
  /** The number of jobs of an owner in flight at once; no limit unless given. */
  perOwner?: (owner: ShareOwner) => number;
  /** Jobs of one tenant in flight at once; no limit unless given. */
  perTenant?: (share: Share) => number;
  /** The level of an owner's recent use, from 0. Jobs of owners with a lower level start first. */
  levelOf?: (owner: ShareOwner) => number;
  /** Jobs in flight at once of all owners above level 0 together, at least 1; no limit unless given. */
  concurrencyAboveLevel0?: number;
  /** Whether the jobs of a share are in quarantine. All jobs in quarantine together have one place. */
  isQuarantined?: (share: Share) => boolean;
  /** Whether the jobs of a run go behind those of the other runs of its tenant. */
  isLast?: (share: Share) => boolean;
}

interface Waiter {
  share: Share;
  start: () => void;
  refuse: () => void;
}

/**
 * A fair queue: owners take turns, and so do the tenants of one owner, and the runs of one tenant. Jobs of owners with the lowest level start
 * first. A full queue refuses the newest job of the owner with the most waiting jobs.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #waiting = new TurnOrder<Waiter>();
  /** The waiting jobs by their limits object. Jobs with the same limits object count together. */
  readonly #waitingByLimits = new Map<QueueLimits, TurnOrder<Waiter>>();
  readonly #ofOwner = new Map<ShareOwner, number>();
  readonly #ofTenant = new Map<string, number>();
  readonly #capacity: FairCapacity | null;
  #inFlight = 0;
  #quarantinedInFlight = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#capacity = options.isDivided ? new FairCapacity(options.concurrency) : null;
  }

  /**
   * Does the work in its share's turn. Rejects with `refusal` when the queue refuses the work, or `signal` is aborted
   * while the work waits.
   */
  async run<T>(
    share: Share,
    work: () => Promise<T>,
    limits: QueueLimits = this.#options,
    signal?: AbortSignal,
  ): Promise<T> {
    if (signal?.aborted) throw limits.refusal();
    const leave = await this.#waitForTurn(share, limits, signal);
    try {
      return await work();
    } finally {
      leave();
      this.#startWaiting();
    }
  }

  /** Resolves with a function that ends the job's place. */
  async #waitForTurn(share: Share, limits: QueueLimits, signal?: AbortSignal): Promise<() => void> {
    // Waiting jobs need not be checked: the end of each job starts every waiting job that may start.
    if (this.#mayStart(share)) return this.#enter(share);
    const alike = this.#waitingByLimits.get(limits) ?? new TurnOrder<Waiter>();
    this.#waitingByLimits.set(limits, alike);
    makeRoom(share, limits, alike);
    return this.#wait(share, limits, alike, signal);
  }

  #wait(
    share: Share,
    { queueTimeoutMs, refusal }: QueueLimits,
    alike: TurnOrder<Waiter>,
    signal?: AbortSignal,
  ): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        share,
        start: () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', waiter.refuse);
          alike.remove(share, waiter);
          resolve(this.#enter(share));
        },
        refuse: () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', waiter.refuse);
          alike.remove(share, waiter);
          this.#waiting.remove(share, waiter);
          reject(refusal());
        },
      };
      const timer =
        queueTimeoutMs === undefined ? undefined : setTimeout(waiter.refuse, queueTimeoutMs);
      signal?.addEventListener('abort', waiter.refuse);
      alike.add(share, waiter);
      this.#waiting.add(share, waiter);
    });
  }

  #mayStart = (share: Share): boolean => {
    const { owner, tenant } = share;
    const {
      concurrency,
      perOwner = () => Number.POSITIVE_INFINITY,
      perTenant = () => Number.POSITIVE_INFINITY,
      reservedForNewOwners = 0,
    } = this.#options;
    const ofOwner = this.#ofOwner.get(owner) ?? 0;
    const reserved = ofOwner > 0 ? reservedForNewOwners : 0;
    if (this.#inFlight >= concurrency - reserved) return false;
    if (this.#capacity && !this.#capacity.mayAdd(share, 1)) return false;
    if (ofOwner >= perOwner(owner)) return false;
    if ((this.#ofTenant.get(tenant) ?? 0) >= perTenant(share)) return false;
    if (this.#quarantinedInFlight > 0 && this.#isQuarantined(share)) return false;
    return this.#levelOf(owner) === 0 || this.#mayStartAbove0();
  };

  #isQuarantined = (share: Share): boolean => this.#options.isQuarantined?.(share) ?? false;

  #levelOf = (owner: ShareOwner): number => this.#options.levelOf?.(owner) ?? 0;

  #mayStartAbove0(): boolean {
    const { concurrencyAboveLevel0 = Number.POSITIVE_INFINITY } = this.#options;
    let inFlight = 0;
    for (const [owner, count] of this.#ofOwner) if (this.#levelOf(owner) > 0) inFlight += count;
    return inFlight < concurrencyAboveLevel0;
  }

  #startWaiting(): void {
    for (;;) {
      const { concurrency, isLast = () => false } = this.#options;
      if (this.#inFlight >= concurrency) return;
      const waiter = this.#waiting.take({
        mayStart: this.#mayStart,
        levelOf: this.#levelOf,
        isLast,
      });
      if (!waiter) return;
      waiter.start();
    }
  }

  #enter(share: Share): () => void {
    const quarantined = this.#isQuarantined(share) ? 1 : 0;
    this.#quarantinedInFlight += quarantined;
    this.#count(share, 1);
    return () => {
      this.#quarantinedInFlight -= quarantined;
      this.#count(share, -1);
    };
  }

  #count(share: Share, change: 1 | -1): void {
    const { owner, tenant } = share;
    this.#inFlight += change;
    this.#capacity?.add(share, change);
    addTo(this.#ofOwner, owner, change);
    addTo(this.#ofTenant, tenant, change);
  }
}

function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
