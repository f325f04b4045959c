import { getHeapStatistics } from 'node:v8';
import { FairCapacity } from '../../../../support/fair-shares/fair-capacity.ts';
import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';

/** Of the heap. The rest is for requests, for values on their way, and for what is not collected yet. */
const PART_OF_HEAP = 0.4;
/** Bytes that a run counts for at least. */
const LEAST_BYTES = 128 * 1024;
/** Bytes that every run may hold, however little room there is. */
const LIGHT_BYTES = 1024 * 1024;

const usualBudget = (): number => getHeapStatistics().heap_size_limit * PART_OF_HEAP;

/**
 * The memory of all runs that are followed in this process. When it is used up, none is begun, and those
 * that hold a lot leave: they are followed again later, from their journal. No owner takes all of it, and
 * no workspace all of its owner's part.
 *
 * Of the runs that hold a lot, the one that has done so longest never has to leave. So there is always one
 * that gets on, and after it the next.
 */
export class MemoryBudget {
  readonly #capacity: FairCapacity;
  /** Those that hold a lot, in the order in which they came to do so. */
  readonly #heavy = new Set<MemoryLease>();

  constructor(budget = usualBudget()) {
    this.#capacity = new FairCapacity(budget);
  }

  /** Whether an owner who holds nothing here could begin a run. */
  get anyFree(): boolean {
    return this.#capacity.isUnused || this.#capacity.free >= LEAST_BYTES;
  }

  mayOwnerTake(owner: ShareOwner): boolean {
    return this.#capacity.isUnused || this.#capacity.mayOwnerAdd(owner, LEAST_BYTES);
  }

  mayTake(share: Share): boolean {
    return this.#capacity.isUnused || this.#capacity.mayAdd(share, LEAST_BYTES);
  }

  /** For a run that has been claimed and is expected to take so many bytes. */
  acquire(share: Share, expected: number): MemoryLease {
    const lease = new MemoryLease({
      changed: (bytes) => {
        if (!lease.isHeavy) this.#heavy.delete(lease);
        else this.#heavy.add(lease); // keeps its turn
        this.#capacity.add(share, bytes);
      },
      mayStay: () => this.#capacity.mayAdd(share, 0) || this.#heavy.values().next().value === lease,
    });
    lease.set(expected);
    return lease;
  }
}

/** What one run holds. */
export class MemoryLease {
  readonly #budget: { changed(bytes: number): void; mayStay(): boolean };
  #bytes = 0;

  constructor(budget: { changed(bytes: number): void; mayStay(): boolean }) {
    this.#budget = budget;
  }

  get isHeavy(): boolean {
    return this.#bytes > LIGHT_BYTES;
  }

  /** Whether the run has to leave because others need the room. */
  get isTooMuch(): boolean {
    return this.isHeavy && !this.#budget.mayStay();
  }

  set(bytes: number): void {
    this.#change(Math.max(bytes, LEAST_BYTES));
  }

  /** The run is no longer here. */
  end(): void {
    this.#change(0);
  }

  #change(bytes: number): void {
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#budget.changed(more);
  }
}
