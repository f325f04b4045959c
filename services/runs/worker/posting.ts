import { LRUCache } from 'lru-cache';
import { isDuplicateKey } from '../../../mixins/database.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { type RunTallyDocument, RunTallyModel } from '../../../models/run-tally.model.ts';
import { amountsOf, countOf, createdTally, endedTally, type TallyIdentity } from '../tallies.ts';

/**
 * Counts each run exactly once, without a transaction and without looking at runs already counted.
 *
 * A run is created with the mark `uncounted`, and its end sets the mark `unposted`. For each marked
 * run R and its tally T, a poster (1) knows T at some version v, (2) reads R with its mark, after v
 * was current, (3) adds R to T and to `T.applied`, on the condition that T is still at v, which
 * becomes v + 1, (4) takes the mark from R, and (5) with some later change of T leaves R out of `applied`.
 *
 * - Crash after 3: R is marked and in `applied`. Whoever goes on does 4 only.
 * - Crash after 4: R stays in `applied` until the next change of T finds it unmarked.
 * - Two posters, or one that slept for an hour between any two steps: its step 3 succeeds only if T
 *   never changed since v. R is not in `applied` at v. Had R been added before v, it would have been
 *   left out again before v, hence been unmarked before v, and step 2 would not have found the mark,
 *   since marks do not come back. So R is in T not at all before step 3, and once after it.
 * - A database that repeats step 3 meets v + 1 and changes nothing.
 * - Batches of one poster follow one another: what it knows of T must be older than its read of R.
 *
 * `applied` holds the runs of the last change, those that crashes left, and some of those before: who
 * reads statistics reads marked runs first and tallies then, and takes a run that is in `applied` by
 * then for counted. It must not have left `applied` between the two reads.
 */
export class Posting {
  /** T as this poster last wrote it, so that a batch need not read it again. */
  readonly #known = new LRUCache<string, Known>({ max: 2_000 });

  #turn: Promise<unknown> = Promise.resolve();

  /** Posts a batch of each mark. Returns how many runs the larger one had. */
  postBatch(limit: number): Promise<number> {
    const batch = this.#turn.then(async () => {
      const counted = await this.#post('uncounted', limit);
      return Math.max(counted, await this.#post('unposted', limit));
    });
    this.#turn = batch.catch(() => undefined); // whoever asked for it hears of it
    return batch;
  }

  async #post(mark: Mark, limit: number): Promise<number> {
    // What is known of the tallies was known before this read of the runs: steps 1 and 2.
    const runs = await RunModel.find({ [mark]: true }, FIELDS)
      .limit(limit)
      .lean<RunDocument[]>();
    const tallies = Map.groupBy(runs, (run) => tallyOf(mark, run)._id);
    for (const [id, ofTally] of tallies) await this.#apply(mark, id, ofTally);
    return runs.length;
  }

  async #apply(mark: Mark, id: string, runs: readonly RunDocument[]): Promise<void> {
    const known = this.#known.get(id);
    const done = known ? await this.#change(mark, id, runs, known) : false;
    for (let owed = [...runs]; !done; ) {
      const { version, applied } = await readTally(id);
      const marked = await markedOf(mark, [...owed.map(({ _id }) => _id), ...applied]);
      owed = owed.filter(({ _id }) => marked.has(_id));
      const settled = new Set(applied.filter((run) => !marked.has(run)));
      const pending = new Set(applied.filter((run) => marked.has(run)));
      if (await this.#change(mark, id, owed, { version, pending, settled })) return;
    }
  }

  /** Steps 3 and 4; false when the tally has changed meanwhile. */
  async #change(
    mark: Mark,
    id: string,
    runs: readonly RunDocument[],
    { version, pending, settled }: Known,
  ): Promise<boolean> {
    const fresh = runs.filter(({ _id }) => !pending.has(_id) && !settled.has(_id));
    const kept = [...settled].slice(-KEPT);
    if (fresh.length) {
      this.#known.delete(id);
      const applied = [...kept, ...pending, ...fresh.map(({ _id }) => _id)];
      const identity = tallyOf(mark, fresh[0] as RunDocument);
      if (!(await add(identity, fresh, version, applied))) return false;
    }
    const ids = runs.map(({ _id }) => _id);
    await RunModel.updateMany({ _id: { $in: ids } }, { $unset: { [mark]: 1 } });
    this.#known.set(id, {
      version: fresh.length ? version + 1 : version,
      pending: pending.difference(new Set(ids)),
      settled: new Set([...kept, ...ids]),
    });
    return true;
  }
}

type Mark = 'uncounted' | 'unposted';
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
} as const;

const tallyOf = (mark: Mark, run: RunDocument): TallyIdentity =>
  mark === 'uncounted' ? createdTally(run.workspaceId) : endedTally(run);

async function readTally(id: string): Promise<{ version: number; applied: number[] }> {
  const tally = await RunTallyModel.findById(id, { version: 1, applied: 1 }).lean();
  return { version: tally?.version ?? 0, applied: tally?.applied ?? [] };
}

async function markedOf(mark: Mark, ids: readonly number[]): Promise<Set<number>> {
  const marked = await RunModel.find({ _id: { $in: ids }, [mark]: true }, { _id: 1 }).lean();
  return new Set(marked.map(({ _id }) => _id));
}

/** Adds the runs, if the tally is at that version; version 0 is none yet. */
async function add(
  identity: TallyIdentity,
  runs: readonly RunDocument[],
  version: number,
  applied: number[],
): Promise<boolean> {
  const amounts = identity.flowId === undefined ? countOf(runs) : amountsOf(runs);
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
