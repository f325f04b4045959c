import { Turns } from '../../../mixins/turns.ts';

/** Of what its runs outside leave free, how many times as much a workspace may hold of the slots. */
const SHARE = 3;
/** Runs that may be outside at once, for each slot. */
const OUTSIDE_PER_SLOT = 4;

/** The most runs that a worker holds at once, for each of its slots: its slots, one more, and those outside. */
export const HELD_PER_SLOT = 2 + OUTSIDE_PER_SLOT;

/** Expressions that the children have at once, and of one workspace: enough that no child ever waits. */
const EXPRESSIONS_AT_ONCE = 4;
const OF_ONE_WORKSPACE = 2;

interface Coming {
  workspaceId: number;
  enter: () => void;
}

/**
 * The places in which runs are worked on here. However many runs a workspace has, and however long they
 * take, some places stay free for a workspace that has none: nobody takes more than three times what is
 * left then, so that one workspace alone gets three quarters, and the last place is for one that has
 * none. With a single place there is one more, for the same reason.
 *
 * A run that waits for an answer from outside may leave its place meanwhile, and takes one again
 * afterwards by the same rule. So many may be outside that nobody fills that either.
 */
export class Slots {
  readonly #busy: Holders;
  readonly #outside: Holders;
  readonly #freed: () => void;
  readonly #coming = new Set<Coming>();
  /** In which workspaces' expressions reach the children, by the workspace's id. */
  readonly expressions = new Turns({
    atOnce: EXPRESSIONS_AT_ONCE,
    ofOneKey: OF_ONE_WORKSPACE,
    mostWaiting: Number.POSITIVE_INFINITY, // each run has few at once
    refusal: () => new Error('no expression is refused its turn'),
  });

  /** `freed` is told of each place that somebody else may take now. */
  constructor(concurrency: number, freed: () => void = () => undefined) {
    this.#busy = new Holders(Math.max(concurrency, 2), SHARE);
    this.#outside = new Holders(OUTSIDE_PER_SLOT * concurrency, 1);
    this.#freed = freed;
  }

  /** Whether a workspace that holds nothing here could begin a run. */
  get anyFree(): boolean {
    return this.#busy.free > 0;
  }

  /** Whether some workspace holds all that it may. */
  get anyFull(): boolean {
    return this.#busy.workspaces.some((workspaceId) => !this.mayTake(workspaceId));
  }

  mayTake(workspaceId: number): boolean {
    return this.#busy.mayAdd(workspaceId);
  }

  /** For a run that has been claimed, whether or not it still may: somebody else was faster then. */
  take(workspaceId: number): void {
    this.#busy.add(workspaceId);
  }

  give(workspaceId: number): void {
    this.#busy.remove(workspaceId);
    this.#letIn();
    this.#freed();
  }

  /** Gives the place back for as long as the run waits; false when too many do already. */
  goOutside(workspaceId: number): boolean {
    if (!this.#outside.mayAdd(workspaceId)) return false;
    this.#outside.add(workspaceId);
    this.give(workspaceId);
    return true;
  }

  /** The run ended outside. */
  stayOutside(workspaceId: number): void {
    this.#outside.remove(workspaceId);
  }

  /** Takes a place again, when it is this workspace's turn. Gives up and says false when aborted. */
  async comeBack(workspaceId: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.mayTake(workspaceId)) this.take(workspaceId);
    else if (!(await this.#turnOf(workspaceId, signal))) return false;
    this.#outside.remove(workspaceId);
    return true;
  }

  #turnOf(workspaceId: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#coming.delete(coming);
        resolve(false);
      };
      const coming: Coming = {
        workspaceId,
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        },
      };
      this.#coming.add(coming);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** In the order in which they came, as far as each one's workspace may. */
  #letIn(): void {
    for (const coming of this.#coming) {
      if (!this.mayTake(coming.workspaceId)) continue;
      this.take(coming.workspaceId);
      this.#coming.delete(coming);
      coming.enter();
    }
  }
}

/** Who holds how many of a number of places. */
class Holders {
  readonly #most: number;
  readonly #share: number;
  readonly #held = new Map<number, number>();
  #all = 0;

  /** Nobody may hold more than `share` times what is free then; one each is always possible. */
  constructor(most: number, share: number) {
    this.#most = most;
    this.#share = share;
  }

  get free(): number {
    return this.#most - this.#all;
  }

  get workspaces(): readonly number[] {
    return [...this.#held.keys()];
  }

  mayAdd(workspaceId: number): boolean {
    const held = this.#held.get(workspaceId) ?? 0;
    if (held === 0) return this.free > 0;
    return held + 1 <= this.#share * (this.free - 1);
  }

  add(workspaceId: number): void {
    this.#held.set(workspaceId, (this.#held.get(workspaceId) ?? 0) + 1);
    this.#all++;
  }

  remove(workspaceId: number): void {
    const held = (this.#held.get(workspaceId) ?? 0) - 1;
    if (held > 0) this.#held.set(workspaceId, held);
    else this.#held.delete(workspaceId);
    this.#all--;
  }
}
