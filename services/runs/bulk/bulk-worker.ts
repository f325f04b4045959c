import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpdateQuery } from 'mongoose';
import { isProblem, NotFound, Problem } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type BulkJobDocument, BulkJobModel } from '../../../models/bulk-job.model.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import { type CancelListeners, cancelRun } from '../cancel-run.ts';
import { isTransientError } from '../../../support/transient-errors.ts';
import { findRun } from '../find-run.ts';
import { RunEnded, RunNotEnded, TooManyStarts } from '../runs.problems.ts';
import { nextBatch } from './bulk-batches.ts';

/** Milliseconds for which a process may work without a write of the job. Then another process takes the job over. */
const LEASE_MS = 15_000;
/** Milliseconds of work on one job. Then a job of the next owner has its turn. */
const TURN_MS = 1_000;
/** Runs of a batch that are cancelled or retried at once; further runs wait. */
const CONCURRENCY = 5;
/** Milliseconds of a job's first delay. Each further delay in a row takes twice as long. */
const FIRST_DELAY_MS = 500;
/** The most milliseconds of a delay; further delays take as long. */
const MAX_DELAY_MS = 30_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface BulkWorkerOptions {
  /** Starts the retry of a run, by the id in the change. */
  retry: (runId: number, change: ChangeContext) => Promise<unknown>;
  cancelListeners: CancelListeners;
  /** Days for which a finished job is kept. */
  retentionDays: number;
  onError: (error: unknown) => void;
}

type Item = BulkJobDocument['batch'][number];
/** `done`: the run was cancelled or retried. `gone`: there is nothing to do. `delayed`: the run has to wait. */
type ItemEnd = 'done' | 'failed' | 'gone' | 'delayed';

/** Thrown where another process has taken the job over. */
class JobLeaseLostError extends Error {
  override readonly name = 'JobLeaseLostError';
}

/**
 * Carries bulk jobs out, one at a time. Owners take turns, and so do the jobs of an owner. The runs of a batch, and the ids
 * of their retries, are stored before the work on them: the repeat of a batch after a crash cancels and retries no run
 * twice.
 */
export class BulkWorker {
  readonly #options: BulkWorkerOptions;
  readonly #loop: WorkLoop;
  /** The owner of the last turn of this process. The next owner of the index has the next turn. */
  #lastOwner: ShareOwner = '';

  constructor(options: BulkWorkerOptions) {
    this.#options = options;
    this.#loop = new WorkLoop(() => this.#workWhileDue(), options.onError);
  }

  /** Looks for due jobs at once, and once more where a look is in flight. */
  readonly wake = (): void => this.#loop.wake();

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #workWhileDue(): Promise<void> {
    while (!this.#loop.isStopped) {
      const job = (await claimJob(this.#lastOwner)) ?? (await claimJob());
      if (!job) return;
      this.#lastOwner = job.shareOwner;
      await this.#takeTurn(job).catch((error: unknown) => {
        if (!(error instanceof JobLeaseLostError)) throw error;
      });
    }
  }

  /** Works on the job for a turn. A pause as long as each batch follows it, so that other work does not wait. */
  async #takeTurn(job: BulkJobDocument): Promise<void> {
    const turnEnd = performance.now() + TURN_MS;
    while (performance.now() < turnEnd && !this.#loop.isStopped) {
      const began = performance.now();
      if (!(await this.#takeBatch(job))) return;
      await sleep(performance.now() - began);
    }
    await saveJob(job, { $set: { dueAt: databaseClock.date() }, $unset: { lease: 1 } });
  }

  /** Works on the next batch. False when the turn is over, because the job is finished or has to wait. */
  async #takeBatch(job: BulkJobDocument): Promise<boolean> {
    if (!job.batch.length) {
      const next = await nextBatch(job);
      if (!next) {
        await this.#finish(job);
        return false;
      }
      Object.assign(job, next);
      await saveJob(job, { $set: { ...next, dueAt: leaseEnd() } });
    }
    const ends = await this.#workOn(job);
    if (ends.includes('delayed')) {
      await this.#delay(job);
      return false;
    }
    const count = (wanted: ItemEnd) => ends.filter((end) => end === wanted).length;
    const [done, failed] = [count('done'), count('failed')];
    await saveJob(job, {
      $set: { batch: [], delays: 0, dueAt: leaseEnd() },
      $inc: { done, failed },
    });
    Object.assign(job, { batch: [], delays: 0 });
    return true;
  }

  async #workOn(job: BulkJobDocument): Promise<ItemEnd[]> {
    const ends: ItemEnd[] = [];
    for (let at = 0; at < job.batch.length && !ends.includes('delayed'); at += CONCURRENCY) {
      if (this.#loop.isStopped) return [...ends, 'delayed'];
      const items = job.batch.slice(at, at + CONCURRENCY);
      ends.push(...(await Promise.all(items.map((item) => this.#workOnRun(job, item)))));
    }
    return ends;
  }

  #workOnRun(job: BulkJobDocument, item: Item): Promise<ItemEnd> {
    return job.kind === 'cancel' ? this.#cancel(job, item) : this.#retry(job, item);
  }

  async #cancel(job: BulkJobDocument, { runId }: Item): Promise<ItemEnd> {
    const run = { _id: runId, workspaceId: job.workspaceId };
    try {
      await cancelRun(run, changeOf(job), this.#options.cancelListeners);
      return 'done';
    } catch (error) {
      if (!isProblem(error, RunEnded, NotFound)) throw error;
      // An earlier try of the batch may have cancelled the run.
      return (await findRun(runId))?.status === 'CANCELLED' ? 'done' : 'gone';
    }
  }

  async #retry(job: BulkJobDocument, { runId, retryId }: Item): Promise<ItemEnd> {
    try {
      await this.#options.retry(runId, { ...changeOf(job), reservedId: retryId });
      return 'done';
    } catch (error) {
      if (isProblem(error, NotFound, RunNotEnded)) return 'gone';
      if (isProblem(error, TooManyStarts) || isQueueFull(error) || isTransientError(error))
        return 'delayed';
      if (!(error instanceof Problem)) this.#options.onError(error);
      return 'failed';
    }
  }

  /** Gives the job back until a delay has passed. */
  async #delay(job: BulkJobDocument): Promise<void> {
    const ms = this.#loop.isStopped ? 0 : Math.min(FIRST_DELAY_MS * 2 ** job.delays, MAX_DELAY_MS);
    const dueAt = new Date(databaseClock.now() + ms);
    await saveJob(job, { $set: { dueAt }, $inc: { delays: 1 }, $unset: { lease: 1 } });
    setTimeout(this.wake, ms + 1).unref();
  }

  async #finish(job: BulkJobDocument): Promise<void> {
    const finishedAt = databaseClock.date();
    const expiresAt = new Date(finishedAt.getTime() + this.#options.retentionDays * DAY_MS);
    await saveJob(job, {
      $set: { finishedAt, expiresAt },
      $unset: { live: 1, dueAt: 1, lease: 1, position: 1 },
    });
  }
}

const leaseEnd = (): Date => new Date(databaseClock.now() + LEASE_MS);

/** Makes the change with which the job's author cancels or retries a run. */
const changeOf = ({ kind, actor, via, requestId }: BulkJobDocument): ChangeContext => ({
  actor,
  via,
  requestId,
  operation: `runs.${kind}`,
  audit: { resource: 'run' },
});

/** Whether a start was refused because the workspace has as many queued runs as it may have. */
const isQueueFull = (error: unknown): boolean =>
  isProblem(error, QuotaReached) && error.data.members?.quota === 'QUEUED_RUNS_PER_WORKSPACE';

/**
 * Claims a due job of the next owner that has one, after the owner `after` or from the first on; of the owner's jobs the one
 * that has been due for longest. Null when no job of these owners is due.
 */
function claimJob(after?: ShareOwner): Promise<BulkJobDocument | null> {
  const ofLaterOwners = after === undefined ? {} : { shareOwner: { $gt: after } };
  return BulkJobModel.findOneAndUpdate(
    { ...ofLaterOwners, dueAt: { $lte: databaseClock.date() } },
    { $set: { lease: randomUUID(), dueAt: leaseEnd() } },
    { sort: { shareOwner: 1, dueAt: 1 }, returnDocument: 'after' },
  )
    .lean<BulkJobDocument>()
    .exec();
}

/** Writes a job that this process holds. Throws a `JobLeaseLostError` when another process has taken the job over. */
async function saveJob(
  { _id, lease }: BulkJobDocument,
  update: UpdateQuery<BulkJobDocument>,
): Promise<void> {
  const { matchedCount } = await BulkJobModel.updateOne({ _id, lease }, update);
  if (!matchedCount) throw new JobLeaseLostError();
}
