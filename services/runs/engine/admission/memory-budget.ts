import { getHeapStatistics } from 'node:v8';
import { FairCapacity } from '../../../../support/fair-shares/fair-capacity.ts';
import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';

/** The fraction of the heap that all runs share; beyond it no run begins. The rest is for requests and garbage. */
const HEAP_FRACTION = 0.4;
/** Bytes that each run counts for at least. No run begins beside others while fewer bytes are free. */
const MIN_RUN_BYTES = 128 * 1024;
/**
 * Bytes that a run may hold even while the budget is used up. A run with more bytes is heavy and may have to
 * leave.
 */
const MAX_LIGHT_BYTES = 1024 * 1024;

const defaultBudget = (): number => getHeapStatistics().heap_size_limit * HEAP_FRACTION;

/**
 * The memory that the runs of this process share. While the budget is used up, no run begins, and heavy
 * runs leave: they are executed again later, from their journal. No owner takes the whole budget, and no
 * workspace its owner's whole part.
 *
 * The run that has been heavy longest never has to leave, so that one heavy run always makes progress.
 */
export class MemoryBudget {
  readonly #capacity: FairCapacity;
  /** The leases of heavy runs, in the order in which the runs became heavy. */
  readonly #heavy = new Set<MemoryLease>();

  constructor(budget = defaultBudget()) {
    this.#capacity = new FairCapacity(budget);
  }

  /** Whether an owner without a run in this process could begin one. */
  get hasRoom(): boolean {
    return this.#capacity.isUnused || this.#capacity.free >= MIN_RUN_BYTES;
  }

  mayOwnerTake(owner: ShareOwner): boolean {
    return this.#capacity.isUnused || this.#capacity.mayOwnerAdd(owner, MIN_RUN_BYTES);
  }

  mayTake(share: Share): boolean {
    return this.#capacity.isUnused || this.#capacity.mayAdd(share, MIN_RUN_BYTES);
  }

  /** Takes `expected` bytes for a claimed run. */
  acquire(share: Share, expected: number): MemoryLease {
    const lease = new MemoryLease({
      changed: (bytes) => {
        if (!lease.isHeavy) this.#heavy.delete(lease);
        else this.#heavy.add(lease); // a lease that is in the set keeps its position
        this.#capacity.add(share, bytes);
      },
      mayStay: () => this.#capacity.mayAdd(share, 0) || this.#heavy.values().next().value === lease,
    });
    lease.setBytes(expected);
    return lease;
  }
}

/** The memory of one run. */
export class MemoryLease {
  readonly #budget: { changed(bytes: number): void; mayStay(): boolean };
  #bytes = 0;

  constructor(budget: { changed(bytes: number): void; mayStay(): boolean }) {
    this.#budget = budget;
  }

  get isHeavy(): boolean {
    return this.#bytes > MAX_LIGHT_BYTES;
  }

  /** Whether the run is heavy and has to leave, because the budget is used up. */
  get exceedsBudget(): boolean {
    return this.isHeavy && !this.#budget.mayStay();
  }

  setBytes(bytes: number): void {
    this.#changeBytes(Math.max(bytes, MIN_RUN_BYTES));
  }

  /** Gives all bytes back, once the run has left the process. */
  release(): void {
    this.#changeBytes(0);
  }

  #changeBytes(bytes: number): void {
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#budget.changed(more);
  }
}
