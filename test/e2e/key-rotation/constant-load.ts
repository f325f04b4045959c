import { setTimeout as sleep } from 'node:timers/promises';

/** What a load has done. */
export interface LoadFigures {
  /** Requests that were answered as they should be. */
  succeeded: number;
  /** What went wrong, a text for each such request. */
  failures: string[];
  /** Requests that were sent in a second. */
  perSecond: number;
}

/**
 * Milliseconds between two looks at how many requests are due. The timer paces the load: it waits for no effect, and a
 * late timer makes no request missing.
 */
const TICK_MS = 10;

/**
 * Sends requests at a constant rate, whether earlier ones are answered or not: those that a busy process sends late are
 * sent all the same. `send` returns null, or what went wrong.
 */
export class ConstantLoad {
  readonly #perSecond: number;
  readonly #send: () => Promise<string | null>;
  readonly #requests: Promise<void>[] = [];
  readonly #failures: string[] = [];
  readonly #sending: Promise<number>;
  #succeeded = 0;
  #isStopped = false;

  constructor(perSecond: number, send: () => Promise<string | null>) {
    this.#perSecond = perSecond;
    this.#send = send;
    this.#sending = this.#sendDue();
  }

  /** Requests that were answered as they should be so far. */
  get succeeded(): number {
    return this.#succeeded;
  }

  /** Ends the load. Resolves once every request is answered. */
  async stop(): Promise<LoadFigures> {
    this.#isStopped = true;
    const seconds = await this.#sending;
    await Promise.all(this.#requests);
    const perSecond = Math.round(this.#requests.length / seconds);
    return { succeeded: this.#succeeded, failures: this.#failures, perSecond };
  }

  /** Sends what is due until the load is stopped. Resolves with the seconds of the load. */
  async #sendDue(): Promise<number> {
    const begin = performance.now();
    for (;;) {
      const seconds = (performance.now() - begin) / 1_000;
      if (this.#isStopped) return seconds;
      while (this.#requests.length < seconds * this.#perSecond) this.#requests.push(this.#count());
      await sleep(TICK_MS);
    }
  }

  async #count(): Promise<void> {
    const failure = await this.#send().catch((error: unknown) => String(error));
    if (failure === null) this.#succeeded++;
    else this.#failures.push(failure);
  }
}
