import { LRUCache } from 'lru-cache';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { COUNTED, type Mark, ROLLUPS } from '../rollups.ts';
import {
  type Addition,
  type Change,
  changeOf,
  changesNow,
  idsOf,
  type Known,
  writeChanges,
} from './tally-changes.ts';

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
 * then for counted. It must not have left `applied` between the two reads.
 */
export class Posting {
  /** T as this poster last wrote it, so that a batch need not read it again. */
  readonly #known = new LRUCache<string, Known>({ max: 2_000 });

  #turn: Promise<unknown> = Promise.resolve();

  /**
   * Posts a batch of created runs, with those of their ends that are marked as well, and a batch of other
   * ended runs. Returns how many runs the larger one had.
   */
  postBatch(limit: number): Promise<number> {
    return this.#inTurn(async () => {
      const counted = await this.#post('uncounted', limit, { also: 'unposted' });
      return Math.max(counted, await this.#post('unposted', limit));
    });
  }

  /** Posts and deletes those expired runs of a batch for which `prepare` has done what it must. Returns how many. */
  removeBatch(limit: number, prepare: Prepare): Promise<number> {
    return this.#inTurn(() => this.#post('expired', limit, { prepare }));
  }

  #inTurn(post: () => Promise<number>): Promise<number> {
    const batch = this.#turn.then(post);
    this.#turn = batch.catch(() => undefined); // whoever asked for it hears of it
    return batch;
  }

  async #post(
    mark: Mark,
    limit: number,
    { also, prepare = async (all) => all }: { also?: CountedMark; prepare?: Prepare } = {},
  ): Promise<number> {
    // What is known of the tallies was known before this read of the runs: steps 1 and 2.
    const found = await RunModel.find({ [mark]: true }, FIELDS)
      .limit(limit)
      .lean<RunDocument[]>();
    if (!found.length) return 0;
    const runs = await prepare(found);
    const { both = [], one = [] } = Object.groupBy(runs, (run) =>
      also && run[also] ? 'both' : 'one',
    );
    const additions = [...additionsOf(mark, runs), ...(also ? additionsOf(also, both) : [])];
    await this.#apply(additions);
    await takeMark(mark, idsOf(one));
    if (also && mark !== 'expired') await takeMarks([mark, also], idsOf(both));
    for (const addition of additions) this.#settle(addition.id, idsOf(addition.runs));
    return runs.length;
  }

  /** Step 3 for all tallies of a batch, in one command while each is as it is known here. */
  async #apply(additions: readonly Addition[]): Promise<void> {
    const changes = additions.flatMap((addition) => {
      const known = this.#known.get(addition.id);
      return known ? [changeOf(addition, known)] : [];
    });
    if (changes.length === additions.length && (await this.#write(changes))) return;
    // Nobody is told which of them was not as it was known, so that all are read again.
    for (let done = false; !done; ) {
      done = await this.#write(await changesNow(additions));
    }
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
    this.#known.set(id, {
      version,
      pending: pending.difference(new Set(ids)),
      settled: new Set([...settled, ...ids]),
    });
  }
}

/** What is done with marked runs before they are posted; it may leave some for the next batch. */
type Prepare = (runs: readonly RunDocument[]) => Promise<readonly RunDocument[]>;

/** A mark that is taken from a run which stays. */
type CountedMark = keyof typeof COUNTED;

const FIELDS = {
  workspaceId: 1,
  flowId: 1,
  flowName: 1,
  status: 1,
  startedAt: 1,
  completedAt: 1,
  entries: 1,
  baseBytes: 1,
  journalBytes: 1,
  resultBytes: 1,
  keptBytes: 1,
  baseCounted: 1,
  endCounted: 1,
  unposted: 1,
} as const;

/** The runs by each tally that the mark stands for. */
function additionsOf(mark: Mark, runs: readonly RunDocument[]): Addition[] {
  return ROLLUPS[mark].flatMap((rollup) => {
    const byTally = Map.groupBy(runs, (run) => rollup.tallyOf(run)._id);
    return [...byTally].map(([id, ofTally]) => ({ mark, rollup, id, runs: ofTally }));
  });
}

/** Step 4. */
async function takeMark(mark: Mark, ids: readonly number[]): Promise<void> {
  if (!ids.length) return;
  const marked = { _id: { $in: [...ids] }, [mark]: true };
  if (mark === 'expired') await RunModel.deleteMany(marked);
  else await RunModel.updateMany(marked, { $unset: { [mark]: 1 }, $set: COUNTED[mark] });
}

/** Step 4 for runs that have both marks, in one change of each run. */
async function takeMarks(
  [first, second]: [CountedMark, CountedMark],
  ids: readonly number[],
): Promise<void> {
  if (!ids.length) return;
  const { matchedCount } = await RunModel.updateMany(
    { _id: { $in: [...ids] }, [first]: true, [second]: true },
    { $unset: { [first]: 1, [second]: 1 }, $set: { ...COUNTED[first], ...COUNTED[second] } },
  );
  if (matchedCount === ids.length) return;
  // Another poster has taken one mark of some runs: each mark is taken from those that still have it.
  for (const mark of [first, second]) await takeMark(mark, ids);
}
