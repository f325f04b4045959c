import { hasMetLimit, NEW_CHILD_MS } from '../../../../support/fair-shares/quarantine.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';
import { isMuchWork } from './engine-turns.ts';
import type { Slots } from './slots.ts';

/** Milliseconds that a run keeps its slot while the run waits for an answer. Then the run releases the slot. */
const RELEASE_AFTER_MS = 1_000;

/**
 * `held`: the run computes in its slot. `released`: the run waits, and reacquires a slot to compute. `yielded`: the
 * run computes until its end, and the process has one slot more. `ended`: the run takes no slot again.
 */
type State = 'held' | 'released' | 'yielded' | 'ended';

/** The slot of one run: held while the run computes, released while it only waits. */
export class SlotLease {
  readonly #slots: Slots;
  readonly #share: Share;
  /** The share with the run, once the run is known. */
  #runShare: Share;
  #runSignal: AbortSignal | null = null;
  #state: State = 'held';
  #computing = 0;
  #reacquiring: Promise<void> | null = null;
  /** Ends the wait for a slot. */
  #reacquireAbort: AbortController | null = null;
  /** Work of the run since its last paced turn, in milliseconds of CPU time. */
  #workMs = 0;

  /** Takes the slot. */
  constructor(slots: Slots, share: Share) {
    this.#slots = slots;
    this.#share = share;
    this.#runShare = share;
    slots.acquire(share);
  }

  /** Sets the run, and the signal that interrupts the run. */
  setRun(run: number, signal: AbortSignal): void {
    this.#runShare = { ...this.#share, run };
    this.#runSignal = signal;
  }

  /**
   * Evaluates an expression in a child process, in the owner's turn, once the run has a slot. `work` is told whether the
   * run is in quarantine. Rejects without the evaluation when the run has ended meanwhile.
   */
  async compute<T>(work: (isQuarantined: boolean) => Promise<T>): Promise<T> {
    await this.#reacquire();
    this.#yieldIfMissed();
    this.#computing++;
    try {
      return await this.#slots.expressions.run(this.#runShare, () => this.#evaluate(work));
    } finally {
      this.#computing--;
    }
  }

  async #evaluate<T>(work: (isQuarantined: boolean) => Promise<T>): Promise<T> {
    if (this.#state === 'ended' || this.#runSignal?.aborted) throw new Error('the run has ended');
    const { quarantine } = this.#slots;
    try {
      return await work(quarantine.has(this.#runShare));
    } catch (error) {
      if (hasMetLimit(error)) {
        quarantine.note(this.#runShare);
        this.#slots.charge(this.#share.owner, NEW_CHILD_MS);
      }
      throw error;
    }
  }

  /** Charges the run's owner for work of this process, in milliseconds of CPU time. */
  charge(cpuMs: number): void {
    this.#workMs += cpuMs;
    this.#slots.charge(this.#share.owner, cpuMs);
  }

  /** Whether the run has done so much work that it has to wait for a turn while its owner is paced. */
  get isTurnDue(): boolean {
    return isMuchWork(this.#workMs) && this.#slots.turns.isPaced(this.#share.owner);
  }

  /**
   * Lets other work of the process go on, and resolves when the run may go on, or at once when `signal` is aborted. Once
   * no slot is free, a run that has done much work yields its slot first. `costMs` is the cost of the work that follows,
   * which is charged unless the signal is aborted.
   */
  async takeTurn(signal = this.#runSignal, costMs = 0): Promise<void> {
    const workMs = this.#workMs + costMs;
    if (isMuchWork(workMs)) {
      this.#workMs = 0;
      this.#yieldIfMissed();
    }
    await this.#slots.turns.take(this.#share, workMs, signal);
    if (costMs > 0 && !signal?.aborted) this.#slots.charge(this.#share.owner, costMs);
  }

  /**
   * Starts a child run in the owner's turn. Rejects when the signal is aborted before. A run that waits for its turn among
   * paced runs has no place among the starts, so that it keeps no other owner waiting.
   */
  async startChild<T>(costMs: number, signal: AbortSignal, start: () => Promise<T>): Promise<T> {
    await this.takeTurn(signal, costMs);
    return this.#slots.childStarts.run(this.#runShare, start, undefined, signal);
  }

  /** Awaits work outside this process; the run may release its slot meanwhile. Resolves when the run may go on. */
  async waitFor<T>(work: () => Promise<T>): Promise<T> {
    const release = setInterval(() => this.#release(), RELEASE_AFTER_MS);
    const result = await work().finally(() => clearInterval(release));
    await this.#reacquire();
    return result;
  }

  /** Releases the slot of a run that waits and does not compute. The next computation reacquires a slot. */
  rest(): void {
    this.#release();
  }

  /** Frees the slot of a run that has ended or left the process, or ends the run's wait for a slot. */
  end(): void {
    this.#reacquireAbort?.abort('ended'); // without a reason, each end of a run would create an error and its stack
    if (this.#reacquiring) void this.#reacquiring.then(() => this.#endLease());
    else this.#endLease();
  }

  #endLease(): void {
    const state = this.#state;
    this.#state = 'ended';
    if (state === 'held') this.#slots.free(this.#share);
    else if (state === 'yielded') this.#slots.freeYielded(this.#share);
    else if (state === 'released') this.#slots.discard(this.#share);
  }

  /** Releases the slot, unless another branch of the run computes. */
  #release(): void {
    if (this.#state !== 'held' || this.#computing > 0) return;
    if (this.#slots.release(this.#share)) this.#state = 'released';
  }

  #yieldIfMissed(): void {
    if (this.#state !== 'held') return;
    if (this.#slots.yieldSlot(this.#share)) this.#state = 'yielded';
  }

  async #reacquire(): Promise<void> {
    if (this.#state !== 'released') return;
    this.#reacquiring ??= this.#reacquireSlot();
    await this.#reacquiring;
  }

  /** Waits for a slot. An interrupted run gets none, since it needs none to end. */
  async #reacquireSlot(): Promise<void> {
    const end = new AbortController();
    this.#reacquireAbort = end;
    const ends = this.#runSignal ? [this.#runSignal, end.signal] : [end.signal];
    const signal = AbortSignal.any(ends);
    if (await this.#slots.reacquire(this.#share, signal)) this.#state = 'held';
    this.#reacquiring = null;
  }
}
