import { Posting } from './rollup-writer.ts';
import { Standby } from './standby.ts';

/** Milliseconds from news, or from a round that posted runs, to the next: runs that come together are posted together. */
const SOON_MS = 500;
/** Milliseconds from a round that found nothing, or failed, to the next without news. */
const SWEEP_MS = 5_000;
/**
 * The same for a poster that has met another: nobody tells it of the runs of that one's process. Shorter
 * than the pause between two looks, so that the other stays on standby.
 */
const SHARED_SWEEP_MS = 800;
/** Runs of each mark that a round posts at most; a full round is followed by the next at once. */
const BATCH = 200;

/**
 * Posts created and ended runs to the tallies, soon after it is told and in any case now and then.
 *
 * One process posts for all. Posters find each other by the tallies: a poster whose tallies were changed
 * by another since its last round goes on standby, and posts again when nobody else does. Its first round
 * as an active poster knows no tallies and is not put off. Two posters may still put each other off: then
 * one of them is active again after about 3 s.
 */
export class Poster {
  readonly #posting = new Posting();
  readonly #failed: (error: unknown) => void;
  #standby: Standby | undefined;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  /** Whether this poster has been on standby. */
  #hasMetOthers = false;
  /** Whether news came since the latest round began. */
  #hasNews = false;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  start(): void {
    this.#schedule(0);
  }

  /** A run was created or has ended here. */
  note(): void {
    this.#hasNews = true;
    if (!this.#standby) this.#schedule(SOON_MS);
  }

  /** Posts what there is, once more, and then nothing. On standby it leaves that to another poster, or to the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    if (!this.#standby) await this.#posting.postBatch(BATCH).catch(this.#failed);
  }

  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#stopped || due >= this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#round = this.#take();
    }, ms);
  }

  async #take(): Promise<void> {
    let next = this.#standby?.pauseMs ?? SWEEP_MS;
    this.#due = Number.NEGATIVE_INFINITY; // one at a time
    try {
      next = await (this.#standby ? this.#look(this.#standby) : this.#post());
    } catch (error) {
      this.#failed(error);
    }
    this.#due = Number.POSITIVE_INFINITY;
    this.#schedule(next);
  }

  /** Returns the milliseconds to the next round, or to the first look. */
  async #post(): Promise<number> {
    this.#hasNews = false;
    const { runs, isContended } = await this.#posting.postBatch(BATCH);
    if (isContended) {
      this.#standby = new Standby();
      this.#hasMetOthers = true;
    }
    if (this.#standby) return this.#standby.pauseMs;
    if (runs >= BATCH) return 0;
    if (runs > 0 || this.#hasNews) return SOON_MS;
    return this.#hasMetOthers ? SHARED_SWEEP_MS : SWEEP_MS;
  }

  /** Returns the milliseconds to the next look, or to the first round. */
  async #look(standby: Standby): Promise<number> {
    if (!(await standby.look())) return standby.pauseMs;
    this.#standby = undefined;
    return 0;
  }
}
