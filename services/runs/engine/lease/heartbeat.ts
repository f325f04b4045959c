import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { type WorkerDocument, WorkerModel } from '../../../../models/worker.model.ts';
import { workerLost } from '../../runs.diagnostics.ts';
import type { Member } from '../admission/workspace-limit.ts';
import {
  isKnownAlive,
  isKnownDead,
  ownIdentity,
  type ProcessIdentity,
} from './process-identity.ts';
import { takeOverOrphanedRuns, takeOverRuns, takeOverRunsOfDead } from './takeover.ts';

/** Milliseconds that a worker's counter may stay unchanged. Then the other workers take over its runs. */
export const DEAD_AFTER_MS = 5_000;
/** Milliseconds since a worker's last beat after which the worker abandons its runs, before others take them over. */
const STALE_AFTER_MS = 4_000;
/** Milliseconds since a worker's last beat within which no cancel of its runs is overdue (`CANCEL_TIMEOUT_MS`). */
const FRESH_MS = 2_000;
/** The most milliseconds between two looks at the other workers. After a longer gap, their beats are timed anew. */
const MAX_WATCH_GAP_MS = 2_000;

/** Sets the time of the beat by the clock of the database. */
const BEAT_TIME = { beatAt: true } as const;
const BEAT_OPTIONS = { returnDocument: 'after', projection: { beatAt: 1 } } as const;

interface Observation {
  /** The counter of the other worker. */
  beat: number;
  /** The time at which the counter was first read with this value, by `now`. */
  since: number;
}

/**
 * The lease of this process on its runs. Each worker raises its counter in the database and watches the
 * counters of the others by its own monotonic clock, so that no wall clock decides.
 */
export class Heartbeat {
  readonly #capacity: number;
  readonly #identity: ProcessIdentity;
  readonly #now: () => number;
  readonly #others = new Map<string, Observation>();
  #id = randomUUID();
  #confirmedAt = 0;
  #watchedAt = 0;
  #members: readonly Member[] = [];

  constructor(capacity: number, mark = ownIdentity(), now = () => performance.now()) {
    this.#capacity = capacity;
    this.#identity = mark;
    this.#now = now;
    this.#setMembers([]);
  }

  /** The name under which this process claims runs. The process takes a new name after each loss of its lease. */
  get id(): string {
    return this.#id;
  }

  /** The live workers at the last look, this one included, ordered by id. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** Whether this worker was the only one in the list at the last look. */
  get isAlone(): boolean {
    return this.#others.size === 0;
  }

  /** Whether other workers may have taken this worker's runs over by now. */
  get isStale(): boolean {
    return this.#now() - this.#confirmedAt > STALE_AFTER_MS;
  }

  /** Whether this process was not away for so long that others could end its runs: it hears of each cancel before. */
  get isFresh(): boolean {
    return this.#now() - this.#confirmedAt < FRESH_MS;
  }

  /**
   * Enters a new name into the list of workers. A worker claims runs only after this call and a look at the other
   * workers.
   */
  async register(): Promise<void> {
    const at = this.#now();
    const others = this.#members.filter(({ id }) => id !== this.#id);
    this.#id = randomUUID();
    this.#setMembers(others);
    const row = {
      beat: 0,
      capacity: this.#capacity,
      node: `${hostname()}-${this.#identity.pid}`,
      ...this.#identity,
    };
    await measureBeat(() =>
      WorkerModel.findOneAndUpdate(
        { _id: this.#id },
        { $setOnInsert: row, $currentDate: BEAT_TIME },
        { ...BEAT_OPTIONS, upsert: true },
      ).lean(),
    );
    this.#confirmedAt = at;
  }

  /**
   * Raises the counter, and reads the clock of the database by the same command. Returns false when another worker has
   * marked this one as dead.
   */
  async beat(): Promise<boolean> {
    const at = this.#now();
    const isListed = await measureBeat(() =>
      WorkerModel.findOneAndUpdate(
        { _id: this.#id, dead: { $exists: false } },
        { $inc: { beat: 1 }, $currentDate: BEAT_TIME },
        BEAT_OPTIONS,
      ).lean(),
    );
    if (isListed) this.#confirmedAt = at;
    return isListed;
  }

  /** Looks at the other workers and takes over the runs of dead ones. Returns the number of those runs. */
  async watch(): Promise<number> {
    const workers = await WorkerModel.find().lean<WorkerDocument[]>();
    const now = this.#now();
    const attentive = now - this.#watchedAt < MAX_WATCH_GAP_MS;
    this.#watchedAt = now;
    let taken = 0;
    const others: Member[] = [];
    const listed = new Set(workers.map(({ _id }) => _id));
    for (const id of this.#others.keys()) if (!listed.has(id)) this.#others.delete(id);
    for (const worker of workers) {
      if (worker._id === this.#id) continue;
      const seen = this.#others.get(worker._id);
      if (!seen || seen.beat !== worker.beat || !attentive) {
        this.#others.set(worker._id, { beat: worker.beat, since: now });
      }
      const unchanged = now - (this.#others.get(worker._id)?.since ?? now);
      const gone = worker.dead || unchanged >= DEAD_AFTER_MS || isKnownDead(worker, this.#identity);
      if (gone) taken += await this.#removeDeadWorker(worker);
      else others.push({ id: worker._id, capacity: worker.capacity });
    }
    this.#setMembers(others);
    return taken;
  }

  /** Takes over the runs whose worker is not in the list. Returns their number. */
  takeOverOrphanedRuns(): Promise<number> {
    return takeOverOrphanedRuns();
  }

  /** Gives all runs of this worker back, and removes it from the list. */
  async deregister(): Promise<void> {
    await takeOverRuns(this.#id);
    await WorkerModel.deleteOne({ _id: this.#id });
  }

  #setMembers(others: readonly Member[]): void {
    const own = { id: this.#id, capacity: this.#capacity };
    this.#members = [...others, own].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Marks the worker as dead first: its next beat fails by that mark. Then takes over its runs. */
  async #removeDeadWorker(worker: WorkerDocument): Promise<number> {
    const { _id, beat } = worker;
    const mark = { $set: { dead: true as const } };
    const { matchedCount, modifiedCount } = await WorkerModel.updateOne({ _id, beat }, mark);
    if (!matchedCount) return 0; // the worker has beaten after all, or another worker has removed it
    if (modifiedCount) workerLost.publish({}); // only the worker that sets the mark publishes the loss
    // A silent worker whose process lives has not died. The silence of a worker on another machine counts as a death.
    const isAlive = isKnownAlive(worker, this.#identity);
    const taken = await (isAlive ? takeOverRuns(_id) : takeOverRunsOfDead(_id));
    await WorkerModel.deleteOne({ _id });
    this.#others.delete(_id);
    return taken;
  }
}

/** Sends a beat, whose answer has the time of the database. Returns whether the worker is in the list. */
async function measureBeat(
  send: () => Promise<Pick<WorkerDocument, 'beatAt'> | null>,
): Promise<boolean> {
  return (await databaseClock.measure(send, (row) => row?.beatAt)) !== null;
}
