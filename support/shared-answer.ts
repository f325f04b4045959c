/** Shares one question between all callers of `get` within a short time. */
export class SharedAnswer<T> {
  readonly #ask: () => Promise<T>;
  readonly #lastsMs: number;
  readonly #now: () => number;
  #answer: Promise<T> | undefined;
  #askedAt = 0;

  /** @param lastsMs milliseconds for which an answer is given again, counted from the question */
  constructor(ask: () => Promise<T>, lastsMs: number, now = () => performance.now()) {
    this.#ask = ask;
    this.#lastsMs = lastsMs;
    this.#now = now;
  }

  get(): Promise<T> {
    const now = this.#now();
    if (this.#answer === undefined || now - this.#askedAt >= this.#lastsMs) {
      this.#askedAt = now;
      this.#answer = this.#ask();
    }
    return this.#answer;
  }
}
