import { environment } from '../../../environment/environment.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { RunModel } from '../../../models/run.model.ts';
import { type WorkerDocument, WorkerModel } from '../../../models/worker.model.ts';
import { FairCapacity } from '../../../support/fair-shares/fair-capacity.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { shareOfRun } from '../engine/admission/run-share.ts';
import { DEAD_AFTER_MS } from '../engine/lease/heartbeat.ts';

/** The runs that a worker holds of a workspace. */
interface HeldRuns {
  _id: { worker: string; shareOwner: string; workspaceId: number };
  runs: number;
}

/** The slots of a live worker, as the runs that it holds fill them. */
interface WorkerSlots {
  capacity: number;
  slots: FairCapacity;
}

/**
 * The workers and the runs that they hold, as the database knows them. A worker itself knows more: slots that waiting runs
 * have released, its memory, and the CPU time of owners.
 */
export class WorkerLoads {
  readonly #workers: ReadonlyMap<string, WorkerDocument>;
  readonly #held: readonly HeldRuns[];
  readonly #now: number;
  readonly #live: readonly WorkerSlots[];

  private constructor(workers: readonly WorkerDocument[], held: readonly HeldRuns[], now: number) {
    this.#workers = new Map(workers.map((worker) => [worker._id, worker]));
    this.#held = held;
    this.#now = now;
    this.#live = workers
      .filter(({ _id }) => this.#isAlive(_id))
      .map((worker) => slotsOf(worker, held));
  }

  static async read(): Promise<WorkerLoads> {
    const held = await RunModel.aggregate<HeldRuns>([
      { $match: { worker: { $gt: '' } } },
      {
        $group: {
          _id: { worker: '$worker', shareOwner: '$shareOwner', workspaceId: '$workspaceId' },
          runs: { $sum: 1 },
        },
      },
    ]);
    // The list is read after the runs: a worker that had claimed by then has entered the list.
    const workers = await WorkerModel.find().lean<WorkerDocument[]>();
    return new WorkerLoads(workers, held, databaseClock.now());
  }

  get hasLiveWorker(): boolean {
    return this.#live.length > 0;
  }

  /** The names of the workers that hold runs, and that have not beaten for as long as the dead. */
  get deadHolders(): string[] {
    const names = new Set(this.#held.map(({ _id }) => _id.worker));
    return [...names].filter((name) => !this.#isAlive(name));
  }

  /** The time of the last beat of a worker; undefined for a worker that is not in the list. */
  lastBeatOf(worker: string): Date | undefined {
    return this.#workers.get(worker)?.beatAt;
  }

  /** Says why no worker may begin a ready run of the share now. */
  refusalOf({ owner, tenant }: Share): string {
    const workers = this.#live;
    const { WORKSPACE_RUN_CONCURRENCY: limit } = environment;
    const ofWorkspace = this.#count((share) => share.tenant === tenant);
    const slots = workers.reduce((sum, { capacity }) => sum + capacity, 0);
    if (!workers.length) return NO_WORKER;
    if (ofWorkspace >= limit)
      return `its workspace has ${ofWorkspace} runs under way (WORKSPACE_RUN_CONCURRENCY=${limit})`;
    if (workers.every((worker) => worker.slots.free <= 0))
      return `all workers are full: they hold ${this.#count(() => true)} runs, and have ${slots} slots`;
    if (workers.every((worker) => !worker.slots.mayOwnerAdd(owner, 1))) {
      const ofOwner = this.#count((share) => share.owner === owner);
      return `its owner ${owner} has used its share up: ${ofOwner} runs under way, of ${slots} slots`;
    }
    if (workers.every((worker) => !worker.slots.mayAdd({ owner, tenant }, 1)))
      return `its workspace has used its part of its owner's share up: ${ofWorkspace} runs under way`;
    return `a worker has a free slot: it may lack memory, or owner ${owner} has used much CPU time`;
  }

  #isAlive(id: string): boolean {
    const { dead, beatAt } = this.#workers.get(id) ?? {};
    return !dead && beatAt !== undefined && this.#now - beatAt.getTime() < DEAD_AFTER_MS;
  }

  #count(counts: (share: Share) => boolean): number {
    const held = this.#held.filter(({ _id }) => counts(shareOfRun(_id)));
    return held.reduce((sum, { runs }) => sum + runs, 0);
  }
}

function slotsOf({ _id: id, capacity }: WorkerDocument, held: readonly HeldRuns[]): WorkerSlots {
  const slots = new FairCapacity(capacity);
  for (const { _id, runs } of held) if (_id.worker === id) slots.add(shareOfRun(_id), runs);
  return { capacity, slots };
}

/** The reason of a run that waits for any worker. */
export const NO_WORKER = 'no worker is alive';
