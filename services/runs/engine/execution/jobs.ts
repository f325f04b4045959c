import type { RunDocument } from '../../../../models/run.model.ts';
import type { Interruption, Job } from './job.ts';

/** A run that has ended. */
export interface EndedRun {
  runId: number;
  /** The run with its end, when this worker wrote the end. */
  run?: RunDocument | null;
  /** Whether this process stored the run, so that requests can wait for the run in this process only. */
  isFromHere?: boolean;
}

/** The runs that this process executes. */
export class Jobs {
  readonly #jobs = new Map<Job, Promise<void>>();
  /** The latest job of each run: a run that was lost may be claimed again before its earlier job is over. */
  readonly #latest = new Map<number, Job>();

  /** The ids of the runs. */
  get runIds(): Set<number> {
    return new Set(this.#latest.keys());
  }

  /** Keeps the job until `done`, which never rejects. */
  add(job: Job, done: Promise<void>): void {
    this.#jobs.set(job, done);
    this.#latest.set(job.run.doc._id, job);
  }

  /** Whether the run is executed under this fence. */
  has({ _id, fence }: RunDocument): boolean {
    return [...this.#jobs.keys()].some(
      ({ run: { doc } }) => doc._id === _id && doc.fence === fence,
    );
  }

  /** The latest job of a run that this process executes. */
  latestOf(runId: number): Job | undefined {
    return this.#latest.get(runId);
  }

  remove(job: Job): void {
    this.#jobs.delete(job);
    const { _id } = job.run.doc;
    if (this.#latest.get(_id) === job) this.#latest.delete(_id);
  }

  cancelRun(runId: number): void {
    for (const job of this.#jobs.keys()) {
      if (job.run.doc._id === runId) job.interrupt('cancelled');
    }
  }

  /** Passes a notification to each of the runs that this process executes. */
  notifyRuns(runIds: ReadonlySet<number>): void {
    for (const job of this.#jobs.keys()) if (runIds.has(job.run.doc._id)) job.notify();
  }

  /** The counts of notifications that the waiting runs know, by the id of the run. */
  get knownWakeups(): Map<number, number> {
    const known = new Map<number, number>();
    for (const { run, mailbox } of this.#jobs.keys()) {
      const { awaited } = mailbox;
      if (awaited) known.set(run.doc._id, awaited.wakeups);
    }
    return known;
  }

  interruptAll(why: Interruption): void {
    for (const job of this.#jobs.keys()) job.interrupt(why);
  }

  /** Lets the effects under way end, and begins no other effects. */
  drainAll(): void {
    for (const job of this.#jobs.keys()) job.drain();
  }

  async waitForAll(): Promise<void> {
    await Promise.all(this.#jobs.values());
  }
}
