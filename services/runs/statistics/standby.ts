import { firstMarked } from './pending-rollups.ts';
import type { Mark } from './rollup-kinds.ts';

/** Milliseconds between two looks, at least: longer than the pauses of an active poster. */
const LOOK_MS = 1_000;
/** Milliseconds by which chance puts a look off, at most: posters on standby shall not take over together. */
const JITTER_MS = 500;
/** Runs of each mark that a look reads at most: the next round of an active poster has them. */
const LOOK_RUNS = 10;
const MARKS: readonly Mark[] = ['uncounted', 'unposted'];

/**
 * Watches whether anybody posts. Each look reads the marked runs that a round would begin with. A run
 * that has the same mark at two looks in a row shows that nobody has posted for a second.
 */
export class Standby {
  #marked: ReadonlySet<string> = new Set();

  /** Milliseconds until the next look. */
  get pauseMs(): number {
    return LOOK_MS + Math.random() * JITTER_MS;
  }

  /** Returns whether nobody has posted since the last look. */
  async look(): Promise<boolean> {
    const before = this.#marked;
    const marked = await Promise.all(MARKS.map(marksNow));
    this.#marked = new Set(marked.flat());
    return !this.#marked.isDisjointFrom(before);
  }
}

const marksNow = async (mark: Mark): Promise<string[]> =>
  (await firstMarked(mark, LOOK_RUNS)).map((runId) => `${mark}/${runId}`);
