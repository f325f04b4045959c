import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type WorkerDocument, WorkerModel } from '../../../../models/worker.model.ts';
import { workerLost } from '../../runs.diagnostics.ts';
import type { Member } from '../admission/workspace-limit.ts';
import { isKnownDead, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import { takeOverOrphanedRuns, takeOverRuns } from './takeover.ts';

/** A worker whose counter nobody has seen change for so long is dead. */
const DEAD_AFTER_MS = 5_000;
/** One that could not raise its counter for so long stops before the others may think so. */
const STALE_AFTER_MS = 4_000;
/** A watcher that was itself away for so long has seen nothing of the others meanwhile. */
const MAX_WATCH_GAP_MS = 2_000;

interface Observation {
  beat: number;
  since: number;
}

/**
 * The lease of this process on its runs. It raises its counter in the database; every worker watches
 * the others' counters by its own monotonic clock, so that no wall clock decides.
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

  /** The name under which this process claims. A new one after each loss. */
  get id(): string {
    return this.#id;
  }

  /** The workers of the last look in the order of their ids, this one included. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** Whether the list held nobody else at the last look. */
  get isAlone(): boolean {
    return this.#others.size === 0;
  }

  /** Whether others may have taken this worker's runs over by now. */
  get isStale(): boolean {
    return this.#now() - this.#confirmedAt > STALE_AFTER_MS;
  }

  /** Enters a new name into the list. Nothing may be claimed before that, and before a look at the others. */
  async register(): Promise<void> {
    const at = this.#now();
    const others = this.#members.filter(({ id }) => id !== this.#id);
    this.#id = randomUUID();
    this.#setMembers(others);
    await WorkerModel.create({
      _id: this.#id,
      beat: 0,
      capacity: this.#capacity,
      node: `${hostname()}-${this.#identity.pid}`,
      ...this.#identity,
    });
    this.#confirmedAt = at;
  }

  /** Raises the counter; false when others hold this worker for dead. */
  async beat(): Promise<boolean> {
    const at = this.#now();
    const { matchedCount } = await WorkerModel.updateOne(
      { _id: this.#id, dead: { $exists: false } },
      { $inc: { beat: 1 } },
    );
    if (matchedCount) this.#confirmedAt = at;
    return matchedCount > 0;
  }

  /** Looks at the others and takes over the runs of the dead. Returns how many runs that were. */
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

  /** Takes over what is held under a name that is no worker's: its worker left the list before it. */
  takeOverOrphanedRuns(): Promise<number> {
    return takeOverOrphanedRuns();
  }

  /** Leaves the list, after all runs were given back. */
  async deregister(): Promise<void> {
    await takeOverRuns(this.#id);
    await WorkerModel.deleteOne({ _id: this.#id });
  }

  #setMembers(others: readonly Member[]): void {
    const own = { id: this.#id, capacity: this.#capacity };
    this.#members = [...others, own].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** First the mark, which its own next beat meets: from then on it is nobody. Then its runs. */
  async #removeDeadWorker({ _id, beat }: WorkerDocument): Promise<number> {
    const mark = { $set: { dead: true as const } };
    const { matchedCount, modifiedCount } = await WorkerModel.updateOne({ _id, beat }, mark);
    if (!matchedCount) return 0; // it has beaten after all, or somebody else was first
    if (modifiedCount) workerLost.publish({}); // whoever sets the mark, once
    const taken = await takeOverRuns(_id);
    await WorkerModel.deleteOne({ _id });
    this.#others.delete(_id);
    return taken;
  }
}
