import { LRUCache } from 'lru-cache';
import type { RunDocument } from '../../../models/run.model.ts';
import { findMarked, idsOf, takeMarks } from './pending-rollups.ts';
import {
  type Addition,
  type Change,
  changeOf,
  changesNow,
  type Known,
  writeChanges,
} from './rollup-changes.ts';
import { type Mark, ROLLUPS } from './rollup-kinds.ts';

/**
 * Counts each run exactly once, without a transaction and without looking at runs already counted.
 *
 * A run is created with the mark `uncounted`, its end sets the mark `unposted`, and its removal begins
 * with the mark `expired`. For each marked run R and each tally T of the mark, a poster (1) knows T at
 * some version v, (2) reads R with its mark, after v was current, (3) adds R to T and to `T.applied`, on
 * the condition that T is still at v, which becomes v + 1, (4) takes the mark from R, when R is in every
 * tally of the mark, and (5) with some later change of T leaves R out of `applied`. The mark `expired`
 * is taken by deleting R.
 *
 * - Crash after 3: R is marked and in `applied`. Whoever goes on does 4 only.
 * - Crash after 4: R stays in `applied` until the next change of T finds it unmarked.
 * - Two posters, or one that slept for an hour between any two steps: its step 3 succeeds only if T
 *   never changed since v. R is not in `applied` at v. Had R been added before v, it would have been
 *   left out again before v, hence been unmarked before v, and step 2 would not have found the mark,
 *   since marks do not come back. So R is in T not at all before step 3, and once after it.
 * - A database that repeats step 3 meets v + 1 and changes nothing.
 * - Batches of one poster follow one another: what it knows of T must be older than its read of R.
 * - No two marks share a tally: a run that is in `applied` for one of them is not taken for the other.
 *
 * Step 4 also notes in R that its bytes are in the tallies, by the same update and only while R has the
 * mark. An older version takes marks without that note, and adds no bytes. So a run with the note is in
 * every tally of the mark: removing it subtracts what was added. A run without it subtracts nothing.
 *
 * `applied` holds the runs of the last change, those that crashes left, and some of those before: who
 * reads statistics reads marked runs first and tallies then, and takes a run that is in `applied` by
 * then for counted. It must not have left `applied` between the two reads: `changeOf` says how long it stays.
 *
 * A tally that is not at the v which an earlier batch of this poster left shows that another poster is at
 * work. The batch ends there: its marks stay, and the poster forgets all tallies. A batch that has read all
 * of its tallies itself reads them again instead, until it is done.
 */
export class Posting {
  readonly #now: () => number;
  /** T as this poster last wrote it, so that a batch need not read it again. */
  readonly #known = new LRUCache<string, Known>({ max: 2_000 });

  #turn: Promise<unknown> = Promise.resolve();

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Posts created and ended runs: it finds at most `limit` of them by each of the two marks. */
  postBatch(limit: number): Promise<Batch> {
    return this.#inTurn(() => this.#post(['uncounted', 'unposted'], limit));
  }

  /** Posts and deletes those expired runs of a batch for which `prepare` has done what it must. */
  removeBatch(limit: number, prepare: Prepare): Promise<Batch> {
    return this.#inTurn(() => this.#post(['expired'], limit, prepare));
  }

  #inTurn(post: () => Promise<Batch>): Promise<Batch> {
    const batch = this.#turn.then(post);
    this.#turn = batch.catch(() => undefined); // whoever asked for it hears of it
    return batch;
  }

  async #post(
    marks: readonly Mark[],
    limit: number,
    prepare: Prepare = async (found) => found,
  ): Promise<Batch> {
    // What is known of the tallies was known before this read of the runs: steps 1 and 2.
    const found = await findMarked(marks, limit);
    if (!found.length) return { runs: 0, isContended: false };
    const all = await prepare(found);
    const ofMarks = marks.map((mark) => ({ mark, runs: all.filter((run) => run[mark]) }));
    const additions = ofMarks.flatMap(({ mark, runs }) => additionsOf(mark, runs));
    const runs = Math.max(...ofMarks.map((one) => one.runs.length));
    if (!(await this.#apply(additions))) return { runs, isContended: true };
    await takeMarks(marks, all).catch((error: unknown) => {
      // Some marks may be taken. A tally that is read again says which runs are in it without a mark.
      for (const { id } of additions) this.#known.delete(id);
      throw error;
    });
    for (const addition of additions) this.#settle(addition.id, idsOf(addition.runs));
    return { runs, isContended: false };
  }

  /** Step 3 for all tallies of a batch. False when one that was known has changed: then all are forgotten. */
  async #apply(additions: readonly Addition[]): Promise<boolean> {
    for (;;) {
      const { known = [], unknown = [] } = Object.groupBy(additions, ({ id }) =>
        this.#known.has(id) ? 'known' : 'unknown',
      );
      const changes = known.map((addition) => this.#changeOf(addition));
      const read = unknown.length ? await changesNow(unknown, this.#now()) : [];
      if (await this.#write([...changes, ...read])) return true;
      if (!known.length) continue; // nobody is told which of them have changed, so that all are read again
      this.#known.clear();
      return false;
    }
  }

  #changeOf(addition: Addition): Change {
    return changeOf(addition, this.#known.get(addition.id) as Known, this.#now());
  }

  /** Makes the changes; false when some tallies have changed meanwhile, and were left as they are. */
  async #write(changes: readonly Change[]): Promise<boolean> {
    for (const { id } of changes) this.#known.delete(id);
    if (!(await writeChanges(changes.filter(({ runs }) => runs.length > 0)))) return false;
    for (const { id, after } of changes) this.#known.set(id, after);
    return true;
  }

  /** The runs are not marked any more. */
  #settle(id: string, ids: readonly number[]): void {
    const known = this.#known.get(id);
    if (!known) return;
    const { version, pending, settled } = known;
    const now = this.#now();
    this.#known.set(id, {
      version,
      pending: pending.difference(new Set(ids)),
      settled: new Map([...settled, ...ids.map((run) => [run, now] as const)]),
    });
  }
}

/** What became of a batch. */
export interface Batch {
  /** How many runs it had of the mark that most of them have. */
  runs: number;
  /** Whether it met somebody else who posts, and left its marks. */
  isContended: boolean;
}

/** What is done with marked runs before they are posted; it may leave some for the next batch. */
type Prepare = (runs: readonly RunDocument[]) => Promise<readonly RunDocument[]>;

/** The runs by each tally that the mark stands for. */
function additionsOf(mark: Mark, runs: readonly RunDocument[]): Addition[] {
  return ROLLUPS[mark].flatMap((rollup) => {
    const byTally = Map.groupBy(runs, (run) => rollup.tallyOf(run)._id);
    return [...byTally].map(([id, ofTally]) => ({ mark, rollup, id, runs: ofTally }));
  });
}
