import { ROLLUP_PENDING, type RunDocument } from '../../../models/run.model.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import { clearPending, findPendingRuns, idsOf } from './pending-rollups.ts';
import {
  planChange,
  type RollupAddition,
  type RollupChange,
  type RollupState,
  readAndPlanChanges,
} from './rollup-changes.ts';
import { ROLLUP_KINDS, type RollupPending } from './rollup-kinds.ts';
import { writeChanges } from './rollup-store.ts';

/** Rollups whose state a writer remembers. Beyond this number the least recently used rollup is read again. */
const MAX_KNOWN_ROLLUPS = 2_000;

/**
 * Adds each run exactly once to each of its rollups, without a transaction, and reads only runs that are
 * still to be added.
 *
 * A run is created with the flag `ROLLUP_PENDING.creation`. Its end sets the flag of the end, and its
 * removal begins with the flag of the removal. For each run R with a flag and each rollup T of the flag,
 * a writer
 *
 * 1. knows T at some version v,
 * 2. reads R with its flag, after v was current,
 * 3. adds R to T and to `T.applied`, on the condition that T is still at v, which becomes v + 1,
 * 4. clears the flag of R, when R is in every rollup of the flag (the flag of the removal goes with R,
 *    which is deleted), and
 * 5. with some later change of T leaves R out of `applied`.
 *
 * Why R is in T exactly once:
 *
 * - Crash after 3: R has the flag and is in `applied`. The next writer does only step 4.
 * - Crash after 4: R stays in `applied` until the next change of T finds its flag cleared.
 * - Two writers, or one writer that paused for an hour between any two steps: step 3 succeeds only if T never
 *   changed since v. R is not in `applied` at v. Had R been added before v, then it would have been left
 *   out of `applied` before v. Its flag would have been cleared before that, and step 2 would not have
 *   found it, since a cleared flag is never set again. So R is not in T before step 3, and once after it.
 * - A database that repeats step 3 meets v + 1 and changes nothing.
 * - Batches of one writer follow one another: its knowledge of T must be older than its read of R.
 * - No two flags share a rollup, so that a run in `applied` was added for the flag in question.
 *
 * `applied` holds the runs of the last change, those that crashes left, and some of earlier changes. A
 * reader of statistics reads first the runs with a flag and then the rollups, and counts a run in
 * `applied` as added. The run must not leave `applied` between the two reads: `planChange` keeps it there
 * for long enough.
 *
 * A rollup that is not at the version which an earlier batch of this writer left shows that another writer
 * is at work. The batch ends there: its flags stay, and the writer forgets all rollups. A batch that has
 * itself read all of its rollups reads them again instead, until it succeeds.
 */
export class RollupWriter {
  readonly #now: () => number;
  /** The rollups as this writer last wrote them, so that the next batch need not read them. */
  readonly #known = lruCache<string, RollupState>(MAX_KNOWN_ROLLUPS);

  #lastBatch: Promise<unknown> = Promise.resolve();

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Adds created and ended runs to their rollups: at most `limit` of each. */
  writeBatch(limit: number): Promise<Batch> {
    const flags = [ROLLUP_PENDING.creation, ROLLUP_PENDING.end];
    return this.#enqueue(() => this.#writeBatch(flags, limit));
  }

  /** Adds expired runs to the rollups of removed runs, and deletes those that `prepare` returns. */
  removeBatch(limit: number, prepare: Prepare): Promise<Batch> {
    return this.#enqueue(() => this.#writeBatch([ROLLUP_PENDING.removal], limit, prepare));
  }

  /** Begins a batch when the previous batch has ended. */
  #enqueue(write: () => Promise<Batch>): Promise<Batch> {
    const batch = this.#lastBatch.then(write);
    this.#lastBatch = batch.catch(() => undefined); // the caller of the batch gets its error
    return batch;
  }

  async #writeBatch(
    flags: readonly RollupPending[],
    limit: number,
    prepare: Prepare = async (found) => found,
  ): Promise<Batch> {
    // Steps 1 and 2: this writer learned the states in `#known` before it reads the runs here.
    const found = await findPendingRuns(flags, limit);
    if (!found.length) return { runs: 0, isContended: false };
    const all = await prepare(found);
    const byFlag = flags.map((flag) => ({ flag, runs: all.filter((run) => run[flag]) }));
    const additions = byFlag.flatMap(({ flag, runs }) => additionsOf(flag, runs));
    const runs = Math.max(...byFlag.map((one) => one.runs.length));
    if (!(await this.#addRuns(additions))) return { runs, isContended: true };
    await clearPending(flags, all).catch((error: unknown) => {
      // Some flags may be cleared. The next read of a rollup also finds the runs in `applied` with a flag.
      for (const { id } of additions) this.#known.delete(id);
      throw error;
    });
    for (const addition of additions) this.#noteCleared(addition.id, idsOf(addition.runs));
    return { runs, isContended: false };
  }

  /**
   * Does step 3 for all rollups of a batch. Returns false, and forgets all rollups, when a known rollup has
   * changed.
   */
  async #addRuns(additions: readonly RollupAddition[]): Promise<boolean> {
    for (;;) {
      const { known = [], unknown = [] } = Object.groupBy(additions, ({ id }) =>
        this.#known.has(id) ? 'known' : 'unknown',
      );
      const changes = known.map((addition) => this.#planChange(addition));
      const read = unknown.length ? await readAndPlanChanges(unknown, this.#now()) : [];
      if (await this.#write([...changes, ...read])) return true;
      if (!known.length) continue; // the database does not say which rollups have changed: all rollups are read again
      this.#known.clear();
      return false;
    }
  }

  #planChange(addition: RollupAddition): RollupChange {
    return planChange(addition, this.#known.get(addition.id) as RollupState, this.#now());
  }

  /** Makes the changes. Returns false when some rollups have changed meanwhile, and are left unchanged. */
  async #write(changes: readonly RollupChange[]): Promise<boolean> {
    for (const { id } of changes) this.#known.delete(id);
    if (!(await writeChanges(changes.filter(({ runs }) => runs.length > 0)))) return false;
    for (const { id, after } of changes) this.#known.set(id, after);
    return true;
  }

  #noteCleared(id: string, ids: readonly number[]): void {
    const state = this.#known.get(id);
    if (!state) return;
    const { version, pending, cleared } = state;
    const now = this.#now();
    this.#known.set(id, {
      version,
      pending: pending.difference(new Set(ids)),
      cleared: new Map([...cleared, ...ids.map((run) => [run, now] as const)]),
    });
  }
}

/** The outcome of a batch. */
export interface Batch {
  /** The number of runs with the flag that most runs of the batch have. */
  runs: number;
  /** Whether the batch met another writer, and left its flags set. */
  isContended: boolean;
}

/** Prepares expired runs for their removal, and returns those that may be removed in this batch. */
type Prepare = (runs: readonly RunDocument[]) => Promise<readonly RunDocument[]>;

/** Groups the runs by each rollup that the flag stands for. */
function additionsOf(flag: RollupPending, runs: readonly RunDocument[]): RollupAddition[] {
  return ROLLUP_KINDS[flag].flatMap((kind) => {
    const included = runs.filter((run) => kind.includes?.(run) ?? true);
    const byRollup = Map.groupBy(included, (run) => kind.identityOf(run)._id);
    return [...byRollup].map(([id, ofRollup]) => ({ flag, kind, id, runs: ofRollup }));
  });
}
