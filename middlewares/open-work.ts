type Reject = (error: Error) => void;

/** Milliseconds that a stop waits for open work, unless it is told another time. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** The calls and events that a broker has under way. */
export class OpenWork {
  /** Milliseconds that `untilIdle` waits. */
  timeoutMs = DEFAULT_TIMEOUT_MS;
  readonly #calls = new Set<Reject>();
  #open = 0;
  #onIdle: (() => void) | undefined;

  /** Runs an event's handler, which counts as open until it ends. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await work();
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#onIdle?.();
    }
  }

  /** Runs a call, which ends at the latest when it is given up. */
  runCall<T>(work: () => Promise<T>): Promise<T> {
    const call = () =>
      new Promise<T>((resolve, reject) => {
        this.#calls.add(reject);
        work()
          .then(resolve, reject)
          .finally(() => this.#calls.delete(reject));
      });
    return this.run(call);
  }

  /** Rejects each open call. */
  giveUp(error: Error): void {
    for (const reject of this.#calls) reject(error);
  }

  /** Waits until nothing is open, or the time is over. Resolves with how much still is. */
  async untilIdle(): Promise<number> {
    if (this.#open === 0) return 0;
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    const timer = setTimeout(idle.resolve, this.timeoutMs);
    await idle.promise;
    clearTimeout(timer);
    return this.#open;
  }
}
