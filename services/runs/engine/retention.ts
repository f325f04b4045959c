import { setTimeout as sleep } from 'node:timers/promises';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { ROLLUP_PENDING, type RunDocument, RunModel } from '../../../models/run.model.ts';
import {
  CHECKPOINT_SLOTS,
  checkpointId,
  RunStepModel,
  runStepId,
} from '../../../models/run-step.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { allBytesOf } from '../quotas/run-bytes.ts';
import { RollupWriter } from '../statistics/rollup-writer.ts';
import { repeatWork } from '../../../support/periodic-work.ts';

export interface RetentionOptions {
  /** Days for which a run is kept after its end. */
  days: number;
  /** The name of this process in the list of workers. */
  worker: () => string;
  onError: (error: unknown) => void;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds between two looks for runs that are too old. */
const LOOK_INTERVAL_MS = 10_000;
/** Milliseconds between the start of a process and its first look. */
const FIRST_LOOK_DELAY_MS = 1_000;
/** The fewest milliseconds between two steps. A pause of its own length follows a step that takes longer. */
const MIN_PAUSE_MS = 100;
/** The most runs that one step removes; further runs wait for the next step. */
const MAX_STEP_RUNS = 100;
/** The most bytes of the runs that one step removes, approximately. A larger run is removed in a step of its own. */
const MAX_STEP_BYTES = 8 * 1024 * 1024;
/** The most journal entries that one command deletes; the next command deletes further entries. */
const MAX_COMMAND_ENTRIES = 500;

/**
 * Removes runs that ended too long ago, in small steps that take at most half of the time, so that other work
 * does not wait. A run is marked, its steps are deleted, and then it is counted as removed and deleted.
 *
 * After a crash at any point the next step continues from the mark. The first process in the list of workers
 * removes runs; two processes that both believe to be the first do no harm.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #rollups = new RollupWriter();
  readonly #stopping = new AbortController();
  #nextMs = FIRST_LOOK_DELAY_MS;
  #step: Promise<void> = Promise.resolve();
  #stop: () => void = () => undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    const work = () => {
      this.#step = this.#takeStep();
      return this.#step;
    };
    this.#stop = repeatWork(() => this.#nextMs, work, this.#options.onError);
  }

  /** Removes a step of runs. The removal that `stop` interrupts is no failure: the next step continues from its mark. */
  async #removeUnlessStopped(horizon: Date): Promise<boolean> {
    try {
      return await this.removeStep(horizon);
    } catch (error) {
      if (this.#stopping.signal.aborted && error === this.#stopping.signal.reason) return false;
      throw error;
    }
  }

  /** Stops the removal. Resolves when its last command has ended. */
  async stop(): Promise<void> {
    this.#stop();
    this.#stopping.abort();
    await this.#step.catch(() => undefined); // `onError` gets the error
  }

  async #takeStep(): Promise<void> {
    const began = performance.now();
    this.#nextMs = LOOK_INTERVAL_MS;
    if (!(await isFirstWorker(this.#options.worker()))) return;
    const horizon = new Date(databaseClock.now() - this.#options.days * DAY_MS);
    if (!(await this.#removeUnlessStopped(horizon))) return;
    this.#nextMs = Math.max(MIN_PAUSE_MS, performance.now() - began);
  }

  /**
   * Removes marked runs, or marks runs that ended before `horizon`. Returns false when no run was removed or
   * marked.
   */
  async removeStep(horizon: Date): Promise<boolean> {
    const prepare = async (runs: readonly RunDocument[]) => {
      const some = selectRuns(MAX_STEP_BYTES, runs);
      await this.#deleteSteps(some);
      return some;
    };
    const { runs } = await this.#rollups.removeBatch(MAX_STEP_RUNS, prepare);
    return runs > 0 || (await markExpired(horizon)) > 0;
  }

  async #deleteSteps(runs: readonly RunDocument[]): Promise<void> {
    for (const ids of entryIds(runs)) {
      this.#stopping.signal.throwIfAborted();
      const began = performance.now();
      await RunStepModel.deleteMany({ _id: { $in: ids } });
      if (ids.length === MAX_COMMAND_ENTRIES) await sleep(performance.now() - began);
    }
    this.#stopping.signal.throwIfAborted();
  }
}

/** Lists the ids of all rows that the runs' entries and checkpoints may have, in groups of `MAX_COMMAND_ENTRIES`. */
function* entryIds(runs: readonly RunDocument[]): Generator<string[]> {
  let ids: string[] = [];
  for (const { _id, entries } of runs) {
    ids.push(...CHECKPOINT_SLOTS.map((slot) => checkpointId(_id, slot)));
    for (let n = 1; n <= entries; n++) {
      ids.push(runStepId(_id, n));
      if (ids.length < MAX_COMMAND_ENTRIES) continue;
      yield ids;
      ids = [];
    }
  }
  if (ids.length) yield ids;
}

/** Whether the worker is the first in the list of workers that are not marked as dead. */
export async function isFirstWorker(worker: string): Promise<boolean> {
  const first = await WorkerModel.findOne({ dead: { $exists: false } }, { _id: 1 })
    .sort({ _id: 1 })
    .lean();
  return first?._id === worker;
}

/** Selects the first runs with at most `bytes` bytes together, and the first run in any case. */
function selectRuns(bytes: number, runs: readonly RunDocument[]): RunDocument[] {
  let left = bytes;
  return runs.filter((run, at) => {
    left -= allBytesOf(run);
    return at === 0 || left >= 0;
  });
}

/**
 * Marks the oldest runs that ended before `horizon`, are in the rollups, and have published their events and outbox. Returns their
 * number.
 */
async function markExpired(horizon: Date): Promise<number> {
  const tooOld = {
    completedAt: { $lt: horizon },
    live: { $exists: false },
    expired: { $exists: false },
    [ROLLUP_PENDING.creation]: { $exists: false },
    [ROLLUP_PENDING.end]: { $exists: false },
    eventsPending: { $exists: false },
    'outbox.0': { $exists: false },
  } as const;
  const found = await RunModel.find(tooOld, { _id: 1 })
    .sort({ completedAt: 1 })
    .limit(MAX_STEP_RUNS)
    .lean();
  if (!found.length) return 0;
  const ids = found.map(({ _id }) => _id);
  const marked = await RunModel.updateMany({ _id: { $in: ids }, ...tooOld }, { expired: true });
  return marked.matchedCount;
}
