/** What a load has done. */
export interface LoadFigures {
  /** Requests that were answered as they should be. */
  succeeded: number;
  /** What went wrong, a text for each such request. */
  failures: string[];
  /** Requests that were answered in a second. */
  perSecond: number;
}

/**
 * Sends requests at a constant rate, whether earlier ones are answered or not. `send` returns null, or what went wrong.
 */
export class ConstantLoad {
  readonly #timer: NodeJS.Timeout;
  readonly #requests: Promise<void>[] = [];
  readonly #began = performance.now();
  readonly #failures: string[] = [];
  #succeeded = 0;

  constructor(perSecond: number, send: () => Promise<string | null>) {
    this.#timer = setInterval(() => this.#requests.push(this.#count(send)), 1_000 / perSecond);
  }

  /** Requests that were answered as they should be so far. */
  get succeeded(): number {
    return this.#succeeded;
  }

  /** Ends the load. Resolves once every request is answered. */
  async stop(): Promise<LoadFigures> {
    clearInterval(this.#timer);
    await Promise.all(this.#requests);
    const seconds = (performance.now() - this.#began) / 1_000;
    const answered = this.#succeeded + this.#failures.length;
    return {
      succeeded: this.#succeeded,
      failures: this.#failures,
      perSecond: Math.round(answered / seconds),
    };
  }

  async #count(send: () => Promise<string | null>): Promise<void> {
    const failure = await send().catch((error: unknown) => String(error));
    if (failure === null) this.#succeeded++;
    else this.#failures.push(failure);
  }
}
