/**
 * A chain of writes: each write begins after the end of the write before. After a failure each write throws its
 * error.
 */
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

  /** Throws the error of the failed write, if a write has failed. */
  assertUnbroken(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
