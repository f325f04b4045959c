/** Calls a function once when no activity was recorded for a time. */
export class IdleTimer {
  readonly #timeoutMs: number;
  readonly #onIdle: () => void;
  #activeAt = performance.now();
  #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, onIdle: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onIdle = onIdle;
    this.#timer = this.#schedule(timeoutMs);
  }

  recordActivity(): void {
    this.#activeAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Activity moves the end without a new timer: a stream may record activity for each chunk. */
  #schedule(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left = this.#activeAt + this.#timeoutMs - performance.now();
      if (left > 0) this.#timer = this.#schedule(left);
      else this.#onIdle();
    }, ms).unref();
  }
}
