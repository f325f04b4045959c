import type { Share } from '../../../../support/fair-shares/share.ts';
import type { Slots } from './slots.ts';

/** Milliseconds that a run waits for an answer in its slot; it releases the slot then. */
const RELEASE_AFTER_MS = 1_000;

/**
 * `held`: the run computes in its slot. `released`: it waits and takes a slot again to compute.
 * `yielded`: it computes until its end, and others have a slot more. `ended`: it takes nothing any more.
 */
type State = 'held' | 'released' | 'yielded' | 'ended';

/** The slot of one run: held while the run computes, released while it only waits. */
export class SlotLease {
  readonly #slots: Slots;
  readonly #share: Share;
  #runSignal: AbortSignal | null = null;
  #state: State = 'held';
  #computing = 0;
  #reacquiring: Promise<void> | null = null;
  /** Ends the wait for a slot to go on in. */
  #reacquireAbort: AbortController | null = null;

  /** Takes the slot. */
  constructor(slots: Slots, share: Share) {
    this.#slots = slots;
    this.#share = share;
    slots.acquire(share);
  }

  /** Names the signal that ends the run. */
  setRunSignal(signal: AbortSignal): void {
    this.#runSignal = signal;
  }

  /** Evaluates something, in the owner's turn. */
  async compute<T>(work: () => Promise<T>): Promise<T> {
    await this.#reacquire();
    this.#yieldIfMissed();
    this.#computing++;
    try {
      return await this.#slots.expressions.run(this.#share, work);
    } finally {
      this.#computing--;
    }
  }

  /** Waits for work that others do; the run goes on when it has a slot again. */
  async waitFor<T>(work: () => Promise<T>): Promise<T> {
    const release = setInterval(() => this.#release(), RELEASE_AFTER_MS);
    const result = await work().finally(() => clearInterval(release));
    await this.#reacquire();
    return result;
  }

  /** The run is no longer here. What it waits for to take a slot again is given up, or the slot freed. */
  end(): void {
    this.#reacquireAbort?.abort('ended'); // without a reason, each run's end would make an error with its stack
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

  /** Not while another branch of the run computes. */
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

  /** Aborted, the run ends where it is: that takes no slot. */
  async #reacquireSlot(): Promise<void> {
    const end = new AbortController();
    this.#reacquireAbort = end;
    const ends = this.#runSignal ? [this.#runSignal, end.signal] : [end.signal];
    const signal = AbortSignal.any(ends);
    if (await this.#slots.reacquire(this.#share, signal)) this.#state = 'held';
    this.#reacquiring = null;
  }
}
