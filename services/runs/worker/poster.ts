import { Posting } from './posting.ts';

/** Milliseconds after which news is posted: runs that come together are posted together. */
const SOON_MS = 200;
/** How often a poster looks for what a crash left. */
const SWEEP_MS = 5_000;
const BATCH = 200;

/** Posts created and ended runs to the tallies, soon after it is told and in any case now and then. */
export class Poster {
  readonly #posting = new Posting();
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  start(): void {
    this.#schedule(0);
  }

  /** A run was created or has ended here. */
  note(): void {
    this.#schedule(SOON_MS);
  }

  /** Posts what there is, once more, and then nothing. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#posting.postBatch(BATCH).catch(this.#failed);
  }

  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#stopped || due >= this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#post(), ms);
  }

  async #post(): Promise<void> {
    let next = SWEEP_MS;
    this.#due = Number.NEGATIVE_INFINITY; // one at a time
    try {
      if ((await this.#posting.postBatch(BATCH)) > 0) next = SOON_MS;
    } catch (error) {
      this.#failed(error);
    }
    this.#due = Number.POSITIVE_INFINITY;
    this.#schedule(next);
  }
}
