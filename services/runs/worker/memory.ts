import { getHeapStatistics } from 'node:v8';

/** Of the heap. The rest is for requests, for values on their way, and for what is not collected yet. */
const PART_OF_HEAP = 0.4;
/** Of what the others leave free, how many times as much a workspace may hold. */
const SHARE = 3;
/** What a run counts for at least, and what every run may hold however little room there is. */
const LEAST_BYTES = 128 * 1024;
const LIGHT_BYTES = 1024 * 1024;

const usualBudget = (): number => getHeapStatistics().heap_size_limit * PART_OF_HEAP;

/**
 * The memory of all runs that are followed in this process. When it is used up, none is begun, and those
 * that hold a lot leave: they are followed again later, from their journal. No workspace takes all of it:
 * alone it gets three quarters, as of the places.
 *
 * Of the runs that hold a lot, the one that has done so longest never has to leave. So there is always one
 * that gets on, and after it the next.
 */
export class Memory {
  readonly #budget: number;
  /** Those that hold a lot, in the order in which they came to do so. */
  readonly #heavy = new Set<MemoryShare>();
  readonly #held = new Map<number, number>();
  #all = 0;

  constructor(budget = usualBudget()) {
    this.#budget = budget;
  }

  /** Whether a workspace that holds nothing here could begin a run. */
  get anyFree(): boolean {
    return this.#held.size === 0 || this.#all + LEAST_BYTES <= this.#budget;
  }

  /** Whether some workspace may begin no other run. */
  get anyFull(): boolean {
    return [...this.#held.keys()].some((workspaceId) => !this.mayTake(workspaceId));
  }

  mayTake(workspaceId: number): boolean {
    return !this.#held.has(workspaceId) || !this.#isOver(workspaceId, LEAST_BYTES);
  }

  /** For a run that has been claimed and is expected to take so many bytes. */
  take(workspaceId: number, expected: number): MemoryShare {
    const share = new MemoryShare({
      changed: (bytes) => {
        if (!share.isHeavy) this.#heavy.delete(share);
        else this.#heavy.add(share); // keeps its turn
        this.#change(workspaceId, bytes);
      },
      mayStay: () => !this.#isOver(workspaceId) || this.#heavy.values().next().value === share,
    });
    share.set(expected);
    return share;
  }

  #change(workspaceId: number, bytes: number): void {
    const held = (this.#held.get(workspaceId) ?? 0) + bytes;
    if (held > 0) this.#held.set(workspaceId, held);
    else this.#held.delete(workspaceId);
    this.#all += bytes;
  }

  #isOver(workspaceId: number, more = 0): boolean {
    const held = (this.#held.get(workspaceId) ?? 0) + more;
    return held > SHARE * (this.#budget - this.#all - more);
  }
}

/** What one run holds. */
export class MemoryShare {
  readonly #told: { changed(bytes: number): void; mayStay(): boolean };
  #bytes = 0;

  constructor(told: { changed(bytes: number): void; mayStay(): boolean }) {
    this.#told = told;
  }

  get isHeavy(): boolean {
    return this.#bytes > LIGHT_BYTES;
  }

  /** Whether the run has to leave because others need the room. */
  get isTooMuch(): boolean {
    return this.isHeavy && !this.#told.mayStay();
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
    this.#told.changed(more);
  }
}
