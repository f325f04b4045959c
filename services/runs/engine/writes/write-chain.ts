/** A chain of writes: each begins after the one before. After a failed write, each later write throws its error. */
export class WriteChain {
  #last: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | null = null;

  add<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      this.assertUnbroken();
      try {
        return await write();
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
    this.#last = turn.catch(() => undefined); // the caller gets the error from `turn`
    return turn;
  }

  /** Throws the error of the write that failed, if one did. */
  assertUnbroken(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
