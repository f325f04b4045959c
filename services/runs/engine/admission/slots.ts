import { FairCapacity } from '../../../../support/fair-shares/fair-capacity.ts';
import { FairQueue } from '../../../../support/fair-shares/fair-queue.ts';
import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';
import { TurnOrder } from '../../../../support/fair-shares/turn-order.ts';
import { EngineTurns } from './engine-turns.ts';
import { Quarantine } from '../../../../support/fair-shares/quarantine.ts';

/**
 * The fewest slots of a process; a lower `concurrency` is raised. A single slot could never stay free for an owner
 * without a run.
 */
const MIN_SLOTS = 2;
/** Released runs for each slot of the process. Beyond this number a run keeps its slot while the run waits. */
const RELEASED_PER_SLOT = 4;
/**
 * The most released runs of an owner, as a multiple of the releases that are left. Beyond them its runs keep their
 * slots.
 */
const RELEASED_FACTOR = 1;

/**
 * Expressions that are handed to the children at once; further expressions queue. With four, no child waits for
 * work.
 */
const MAX_EXPRESSIONS = 4;
/** Expressions of one owner that are handed to the children at once; further expressions queue. */
const MAX_OWNER_EXPRESSIONS = 2;
/**
 * Expressions of a crowding owner at the children at once; further expressions queue. One child serves the others.
 */
const MAX_CROWDING_OWNER_EXPRESSIONS = 1;
/** Expressions of all owners above level 0 at once, as many as there are children; further expressions queue. */
const MAX_EXPRESSIONS_ABOVE_LEVEL_0 = 2;
/** Starts of child runs that are under way at once. Further starts wait in their owners' turns. */
const MAX_CHILD_STARTS = 32;
/** Starts of child runs of one owner that are under way at once; further starts wait. */
const MAX_OWNER_CHILD_STARTS = 16;
/** Slots that stay free for owners of level 0; an owner above level 0 begins no run in these slots. */
const RESERVED_SLOTS = 1;

export interface SlotsOptions {
  /** Runs that are executed at once; 1 counts as 2. */
  concurrency: number;
  /** Called for each slot that another run may take now. */
  onFreed?: () => void;
  /** The level of an owner's recent CPU time, from 0; lower levels come first. */
  levelOf?: (owner: ShareOwner) => number;
  /** Whether an owner uses more than its share of CPU time while other owners compute. */
  isCrowding?: (owner: ShareOwner) => boolean;
  /** Whether the owner's runs are paced, because an owner who has used less is active. */
  isPaced?: (owner: ShareOwner) => boolean;
  /** Charges an owner for work of this process, in milliseconds of CPU time. */
  charge?: (owner: ShareOwner, cpuMs: number) => void;
}

/**
 * The slots in which this process executes runs. Some slots stay free for an owner without a run, however
 * many runs and workspaces another owner has: no owner holds more than three times the slots that are left
 * free, so that a single owner gets three quarters of the slots. The same rule divides an owner's slots among
 * workspaces.
 *
 * A run that waits for an external answer may release its slot, and reacquires a slot by the same rule.
 * The number of released runs is limited by owner in the same way.
 *
 * The last free slot is for owners of level 0. Once that slot is taken, a run of an owner above level 0 yields its
 * slot before its next expression: the process then has one slot more until that run ends. The yielding run
 * still counts for its owner, and its expressions queue as before.
 */
export class Slots {
  /** The number of slots while no run yields. */
  readonly count: number;
  readonly #busy: FairCapacity;
  readonly #released: FairCapacity;
  readonly #onFreed: () => void;
  readonly #levelOf: (owner: ShareOwner) => number;
  /** The number of runs that have yielded, each of which makes one slot more. */
  #yielded = 0;
  /** Runs that released their slot and wait for another one. */
  readonly #waitingRuns = new TurnOrder<() => void>();
  /** The runs and owners whose expressions meet limits. They have one place in the queue of expressions. */
  readonly quarantine = new Quarantine();
  /** The queue of expressions. No expression is refused, because each run has few expressions at once. */
  readonly expressions: FairQueue;
  /** The queue of starts of child runs. A start whose task is aborted while it waits is refused. */
  readonly childStarts: FairQueue;
  /** The turns of the runs in the thread of this process. */
  readonly turns: EngineTurns;
  readonly #charge: (owner: ShareOwner, cpuMs: number) => void;

  constructor({
    concurrency,
    onFreed: freed = () => undefined,
    levelOf = () => 0,
    isCrowding = () => false,
    isPaced = () => false,
    charge = () => undefined,
  }: SlotsOptions) {
    this.count = Math.max(concurrency, MIN_SLOTS);
    this.#busy = new FairCapacity(this.count);
    this.#released = new FairCapacity(RELEASED_PER_SLOT * this.count, RELEASED_FACTOR);
    this.#onFreed = freed;
    this.#levelOf = levelOf;
    this.expressions = new FairQueue({
      concurrency: MAX_EXPRESSIONS,
      perOwner: (owner) =>
        isCrowding(owner) ? MAX_CROWDING_OWNER_EXPRESSIONS : MAX_OWNER_EXPRESSIONS,
      levelOf,
      concurrencyAboveLevel0: MAX_EXPRESSIONS_ABOVE_LEVEL_0,
      isQuarantined: (share) => this.quarantine.has(share),
      isLast: ({ run }) => this.quarantine.hasRun(run),
      refusal: () => new Error('no expression is refused its turn'),
    });
    this.childStarts = new FairQueue({
      concurrency: MAX_CHILD_STARTS,
      perOwner: () => MAX_OWNER_CHILD_STARTS,
      levelOf,
      refusal: () => new Error('the start of a child run was aborted'),
    });
    this.turns = new EngineTurns({ levelOf, isPaced });
    this.#charge = charge;
  }

  /** Charges an owner for work of a run in this process. */
  charge(owner: ShareOwner, cpuMs: number): void {
    this.#charge(owner, cpuMs);
    this.turns.count(owner, cpuMs);
  }

  /** Whether an owner without a run in this process could begin one. */
  get hasFreeSlot(): boolean {
    return this.#busy.free > 0;
  }

  mayOwnerTake(owner: ShareOwner): boolean {
    return this.#isFreeFor(owner) && this.#busy.mayOwnerAdd(owner, 1);
  }

  mayTake(share: Share): boolean {
    return this.#isFreeFor(share.owner) && this.#busy.mayAdd(share, 1);
  }

  #isFreeFor(owner: ShareOwner): boolean {
    return this.#isFreeAboveLevel0 || this.#levelOf(owner) === 0;
  }

  get #isFreeAboveLevel0(): boolean {
    return this.#busy.free > RESERVED_SLOTS + this.#yielded;
  }

  /** Takes a slot without a check; `mayTake` checks. */
  acquire(share: Share): void {
    this.#busy.add(share, 1);
  }

  /** Frees the slot of a run that has ended or left. */
  free(share: Share): void {
    this.#busy.add(share, -1);
    this.#offerFreeSlots();
  }

  /** Frees the slot of a run while the run waits. Returns false when too many runs have released their slots. */
  release(share: Share): boolean {
    if (!this.#released.mayAdd(share, 1)) return false;
    this.#released.add(share, 1);
    this.free(share);
    return true;
  }

  /** Ends the count of a released run that has ended. */
  discard(share: Share): void {
    this.#released.add(share, -1);
  }

  /**
   * Adds a slot to the process until the run ends. Returns false while a slot is free, for an owner of level 0,
   * and at the limit of released runs.
   */
  yieldSlot(share: Share): boolean {
    if (this.hasFreeSlot || this.#levelOf(share.owner) === 0) return false;
    if (!this.#released.mayAdd(share, 1)) return false;
    this.#released.add(share, 1);
    this.#busy.grow(1);
    this.#yielded++;
    this.#offerFreeSlots();
    return true;
  }

  /** Removes the slot that a yielding run added, once the run has ended. */
  freeYielded(share: Share): void {
    this.#released.add(share, -1);
    this.#busy.grow(-1);
    this.#yielded--;
    this.free(share);
  }

  /**
   * Takes a slot for a released run, in the share's turn. Returns false, without a slot, when `signal` is aborted.
   */
  async reacquire(share: Share, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.mayTake(share)) this.acquire(share);
    else if (!(await this.#waitForSlot(share, signal))) return false;
    this.#released.add(share, -1);
    return true;
  }

  #waitForSlot(share: Share, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waitingRuns.remove(share, enter);
        resolve(false);
      };
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        this.acquire(share);
        resolve(true);
      };
      this.#waitingRuns.add(share, enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #offerFreeSlots(): void {
    const mayTake = (share: Share) => this.mayTake(share);
    for (;;) {
      const enter = this.#waitingRuns.take({ mayStart: mayTake, levelOf: this.#levelOf });
      if (!enter) break;
      enter();
    }
    this.#onFreed();
  }
}
