import { isDatabaseAway } from './database-outage.ts';

/** Repeats work each time that the loop is woken. An outage of the database ends the work and is no error. */
export class WorkLoop {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #working: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  /** Begins the work at once, or once more after the work in flight. */
  readonly wake = (): void => {
    this.#isWoken = true;
    if (!this.#isStopped) this.#working ??= this.#workWhileWoken();
  };

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Begins no further work. Resolves when the work in flight has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #workWhileWoken(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      try {
        await this.#work();
      } catch (error) {
        if (!isDatabaseAway(error)) this.#onError(error);
      }
    }
    this.#working = undefined;
  }
}
