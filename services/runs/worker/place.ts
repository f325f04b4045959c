import type { Slots } from './slots.ts';

/** An answer that takes longer is waited for outside. */
const OUTSIDE_AFTER_MS = 1_000;

/** The place of one run among the slots: held while it computes, given back while it only waits. */
export class Place {
  readonly #slots: Slots;
  readonly #workspaceId: number;
  readonly #signal: AbortSignal;
  #held = true;
  #computing = 0;
  #returning: Promise<void> | null = null;

  /** Takes the place. `signal` ends the run. */
  constructor(slots: Slots, workspaceId: number, signal: AbortSignal) {
    this.#slots = slots;
    this.#workspaceId = workspaceId;
    this.#signal = signal;
    slots.take(workspaceId);
  }

  /** Evaluates something, in the workspace's turn. */
  async computing<T>(work: () => Promise<T>): Promise<T> {
    await this.#return();
    this.#computing++;
    try {
      return await this.#slots.expressions.take(String(this.#workspaceId), work);
    } finally {
      this.#computing--;
    }
  }

  /** Work that others do; the run goes on when it has its place again. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    const leave = setInterval(() => this.#leave(), OUTSIDE_AFTER_MS);
    const result = await work().finally(() => clearInterval(leave));
    await this.#return();
    return result;
  }

  /** The run is no longer here. */
  end(): void {
    if (this.#held) this.#slots.give(this.#workspaceId);
    else this.#slots.stayOutside(this.#workspaceId);
  }

  /** Not while another branch of the run computes. */
  #leave(): void {
    if (!this.#held || this.#computing > 0) return;
    this.#held = !this.#slots.goOutside(this.#workspaceId);
  }

  async #return(): Promise<void> {
    if (this.#held) return;
    this.#returning ??= this.#comeBack();
    await this.#returning;
  }

  /** Aborted, the run ends where it is: that takes no place. */
  async #comeBack(): Promise<void> {
    this.#held = await this.#slots.comeBack(this.#workspaceId, this.#signal);
    this.#returning = null;
  }
}
