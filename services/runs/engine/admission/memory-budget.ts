import { getHeapStatistics } from 'node:v8';
import { FairCapacity } from '../../../../support/fair-shares/fair-capacity.ts';
import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';

/** Of the heap. The rest is for requests, for values on their way, and for what is not collected yet. */
const HEAP_FRACTION = 0.4;
/** Bytes that a run counts for at least. */
const MIN_RUN_BYTES = 128 * 1024;
/** Bytes that every run may hold, however little room there is. */
const MAX_LIGHT_BYTES = 1024 * 1024;

const defaultBudget = (): number => getHeapStatistics().heap_size_limit * HEAP_FRACTION;

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

  constructor(budget = defaultBudget()) {
    this.#capacity = new FairCapacity(budget);
  }

  /** Whether an owner who holds nothing here could begin a run. */
  get hasRoom(): boolean {
    return this.#capacity.isUnused || this.#capacity.free >= MIN_RUN_BYTES;
  }

  mayOwnerTake(owner: ShareOwner): boolean {
    return this.#capacity.isUnused || this.#capacity.mayOwnerAdd(owner, MIN_RUN_BYTES);
  }

  mayTake(share: Share): boolean {
    return this.#capacity.isUnused || this.#capacity.mayAdd(share, MIN_RUN_BYTES);
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
    lease.setBytes(expected);
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
    return this.#bytes > MAX_LIGHT_BYTES;
  }

  /** Whether the run has to leave because others need the room. */
  get exceedsBudget(): boolean {
    return this.isHeavy && !this.#budget.mayStay();
  }

  setBytes(bytes: number): void {
    this.#changeBytes(Math.max(bytes, MIN_RUN_BYTES));
  }

  /** The run is no longer here. */
  release(): void {
    this.#changeBytes(0);
  }

  #changeBytes(bytes: number): void {
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#budget.changed(more);
  }
}
