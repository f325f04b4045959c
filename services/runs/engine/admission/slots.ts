import { FairCapacity } from '../../../../support/fair-shares/fair-capacity.ts';
import { FairQueue } from '../../../../support/fair-shares/fair-queue.ts';
import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';
import { TurnOrder } from '../../../../support/fair-shares/turn-order.ts';

/** Slots of a process at least: with one alone, an owner without a run would find none free. */
const MIN_SLOTS = 2;
/** Runs that may have released their slot at once, for each slot; beyond it a run keeps its slot. */
const RELEASED_PER_SLOT = 4;
/** An owner may have as many released runs as there is room for others. */
const RELEASED_FACTOR = 1;

/** Expressions that the children have at once: enough that no child ever waits for one. */
const MAX_EXPRESSIONS = 4;
/** Expressions of one owner that the children have at once; more wait. */
const MAX_OWNER_EXPRESSIONS = 2;
/** The same for an owner whose CPU time others miss, so that one child is left. */
const MAX_CROWDING_OWNER_EXPRESSIONS = 1;
/** Of all owners above level 0: as many as there are children, so that another's waits for one at most. */
const MAX_EXPRESSIONS_ABOVE_LEVEL_0 = 2;
/** Free slots that owners above level 0 leave to the others. */
const RESERVED_SLOTS = 1;

export interface SlotsOptions {
  /** Runs worked on at once; 1 counts as 2. */
  concurrency: number;
  /** Called for each slot that another run may take now. */
  onFreed?: () => void;
  /** How much an owner has used lately, from 0; who has used least comes first. */
  levelOf?: (owner: ShareOwner) => number;
  /** Whether an owner is over their share while others compute as well. */
  isCrowding?: (owner: ShareOwner) => boolean;
}

/**
 * The slots in which runs are worked on here. However many runs and workspaces an owner has, and however
 * long the runs take, some slots stay free for an owner without any: nobody takes more than three times
 * what is left then, so that one owner alone gets three quarters. The rule holds again among the
 * workspaces of an owner.
 *
 * A run that waits for an answer from outside may release its slot meanwhile, and reacquires one by the
 * same rule. So many may have released theirs that nobody fills that either.
 *
 * The last free slot is for owners of level 0. Once it is taken, a run of an owner above level 0 yields
 * before its next expression: there is one slot more until it ends, for owners of level 0 as well. The
 * run still counts as its owner's, and its expressions take their turn as ever.
 */
export class Slots {
  /** How many slots there are while no run yields. */
  readonly count: number;
  readonly #busy: FairCapacity;
  readonly #released: FairCapacity;
  readonly #onFreed: () => void;
  readonly #levelOf: (owner: ShareOwner) => number;
  /** Runs that have yielded: so many slots there are more. */
  #yielded = 0;
  /** Runs that wait for a slot to go on in. */
  readonly #waitingRuns = new TurnOrder<() => void>();
  /** In turn, expressions reach the children. Each run has few at once, so that none is refused. */
  readonly expressions: FairQueue;

  constructor({
    concurrency,
    onFreed: freed = () => undefined,
    levelOf = () => 0,
    isCrowding = () => false,
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
      refusal: () => new Error('no expression is refused its turn'),
    });
  }

  /** Whether an owner who holds nothing here could begin a run. */
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

  /** Takes a slot, whether or not the share may have one: `mayTake` says that. */
  acquire(share: Share): void {
    this.#busy.add(share, 1);
  }

  /** Gives a slot up for good. */
  free(share: Share): void {
    this.#busy.add(share, -1);
    this.#offerFreeSlots();
  }

  /** Gives a slot back for as long as the run waits; false when too many have done so already. */
  release(share: Share): boolean {
    if (!this.#released.mayAdd(share, 1)) return false;
    this.#released.add(share, 1);
    this.free(share);
    return true;
  }

  /** The run ended without its slot. */
  discard(share: Share): void {
    this.#released.add(share, -1);
  }

  /** Makes one slot more for others while the run computes; false when there is no need, or no room. */
  yieldSlot(share: Share): boolean {
    if (this.hasFreeSlot || this.#levelOf(share.owner) === 0) return false;
    if (!this.#released.mayAdd(share, 1)) return false;
    this.#released.add(share, 1);
    this.#busy.grow(1);
    this.#yielded++;
    this.#offerFreeSlots();
    return true;
  }

  /** The run that yielded has ended. */
  freeYielded(share: Share): void {
    this.#released.add(share, -1);
    this.#busy.grow(-1);
    this.#yielded--;
    this.free(share);
  }

  /** Takes a slot again in the share's turn; false, without one, when aborted. */
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
      const enter = this.#waitingRuns.take(mayTake, this.#levelOf);
      if (!enter) break;
      enter();
    }
    this.#onFreed();
  }
}
