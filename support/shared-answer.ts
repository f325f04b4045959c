/** Shares the answer of one `ask` between all callers of `get` within `lastsMs`. */
export class SharedAnswer<T> {
  readonly #ask: () => Promise<T>;
  readonly #lastsMs: number;
  readonly #now: () => number;
  #answer: Promise<T> | undefined;
  #askedAt = 0;

  /** @param lastsMs milliseconds for which an answer is shared, from the call of `ask`; a later `get` asks again */
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
