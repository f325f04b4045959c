import { LRUCache } from 'lru-cache';
import { isDuplicateKey } from '../../../mixins/database.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { type RunTallyDocument, RunTallyModel } from '../../../models/run-tally.model.ts';
import { COUNTED, type Mark, ROLLUPS, type Rollup } from '../rollups.ts';

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

  /** Posts a batch of created and one of ended runs. Returns how many runs the larger one had. */
  postBatch(limit: number): Promise<number> {
    return this.#inTurn(async () => {
      const counted = await this.#post('uncounted', limit);
      return Math.max(counted, await this.#post('unposted', limit));
    });
  }

  /** Posts and deletes those expired runs of a batch for which `prepare` has done what it must. Returns how many. */
  removeBatch(limit: number, prepare: Prepare): Promise<number> {
    return this.#inTurn(() => this.#post('expired', limit, prepare));
  }

  #inTurn(post: () => Promise<number>): Promise<number> {
    const batch = this.#turn.then(post);
    this.#turn = batch.catch(() => undefined); // whoever asked for it hears of it
    return batch;
  }

  async #post(mark: Mark, limit: number, prepare: Prepare = async (all) => all): Promise<number> {
    // What is known of the tallies was known before this read of the runs: steps 1 and 2.
    const found = await RunModel.find({ [mark]: true }, FIELDS)
      .limit(limit)
      .lean<RunDocument[]>();
    if (!found.length) return 0;
    const runs = await prepare(found);
    for (const { rollup, id, ofTally } of parts(mark, runs)) {
      await this.#apply(mark, rollup, id, ofTally);
    }
    await takeMark(mark, idsOf(runs));
    for (const { id, ofTally } of parts(mark, runs)) this.#settle(id, idsOf(ofTally));
    return runs.length;
  }

  /** Step 3, until it is done by this poster or by others. */
  async #apply(
    mark: Mark,
    rollup: Rollup,
    id: string,
    runs: readonly RunDocument[],
  ): Promise<void> {
    const known = this.#known.get(id);
    let done = known ? await this.#change(rollup, id, runs, known) : false;
    while (!done) {
      const { version, applied } = await readTally(id);
      const marked = await markedOf(mark, [...idsOf(runs), ...applied]);
      const owed = runs.filter(({ _id }) => marked.has(_id));
      const settled = new Set(applied.filter((run) => !marked.has(run)));
      const pending = new Set(applied.filter((run) => marked.has(run)));
      done = await this.#change(rollup, id, owed, { version, pending, settled });
    }
  }

  /** Adds the runs that are not in the tally; false when it has changed meanwhile. */
  async #change(
    rollup: Rollup,
    id: string,
    runs: readonly RunDocument[],
    { version, pending, settled }: Known,
  ): Promise<boolean> {
    const fresh = runs.filter(({ _id }) => !pending.has(_id) && !settled.has(_id));
    if (!fresh.length) {
      this.#known.set(id, { version, pending, settled });
      return true;
    }
    const kept = [...settled].slice(-KEPT);
    const inside = [...pending, ...idsOf(fresh)];
    this.#known.delete(id);
    if (!(await add(rollup, fresh, version, [...kept, ...inside]))) return false;
    this.#known.set(id, {
      version: version + 1,
      pending: new Set(inside),
      settled: new Set(kept),
    });
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

interface Known {
  version: number;
  /** The runs in `applied` that may still be marked, and those that are not. */
  pending: Set<number>;
  settled: Set<number>;
}
/** Runs that stay in `applied` although they are not marked any more. */
const KEPT = 100;

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
} as const;

const idsOf = (runs: readonly RunDocument[]): number[] => runs.map(({ _id }) => _id);

/** The runs by each tally that the mark stands for. */
function parts(mark: Mark, runs: readonly RunDocument[]) {
  return ROLLUPS[mark].flatMap((rollup) => {
    const byTally = Map.groupBy(runs, (run) => rollup.tallyOf(run)._id);
    return [...byTally].map(([id, ofTally]) => ({ rollup, id, ofTally }));
  });
}

/** Step 4. */
async function takeMark(mark: Mark, ids: readonly number[]): Promise<void> {
  const marked = { _id: { $in: [...ids] }, [mark]: true };
  if (mark === 'expired') await RunModel.deleteMany(marked);
  else await RunModel.updateMany(marked, { $unset: { [mark]: 1 }, $set: COUNTED[mark] });
}

async function readTally(id: string): Promise<{ version: number; applied: number[] }> {
  const tally = await RunTallyModel.findById(id, { version: 1, applied: 1 }).lean();
  return { version: tally?.version ?? 0, applied: tally?.applied ?? [] };
}

async function markedOf(mark: Mark, ids: readonly number[]): Promise<Set<number>> {
  const marked = await RunModel.find({ _id: { $in: ids }, [mark]: true }, { _id: 1 }).lean();
  return new Set(marked.map(({ _id }) => _id));
}

/** Adds the runs, if their tally is at that version; version 0 is none yet. */
async function add(
  { tallyOf, amountsOf }: Rollup,
  runs: readonly RunDocument[],
  version: number,
  applied: number[],
): Promise<boolean> {
  const identity = tallyOf(runs[0] as RunDocument);
  const amounts = amountsOf(runs);
  const named = identity.flowId === undefined ? {} : { flowName: runs.at(-1)?.flowName ?? '' };
  if (version === 0) {
    const tally: RunTallyDocument = { ...identity, ...named, ...amounts, applied, version: 1 };
    try {
      await RunTallyModel.create(tally);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
  const { matchedCount } = await RunTallyModel.updateOne(
    { _id: identity._id, version },
    { $inc: { ...amounts, version: 1 }, $set: { ...named, applied } },
  );
  return matchedCount > 0;
}
