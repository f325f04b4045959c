import { RunModel } from '../../../../models/run.model.ts';
import { takeOverRuns } from './takeover.ts';

/**
 * Milliseconds that a claim may take by the monotonic clock. A run that was claimed more slowly is not begun:
 * the sweep, which looks twice at least 5 s apart, may be about to take it over as idle.
 */
const MAX_CLAIM_MS = 4_000;

/** Whether the answer to a claim that was sent at `sentAt` comes too late to begin its run. */
export const isLateClaim = (sentAt: number, now: number): boolean => now - sentAt > MAX_CLAIM_MS;

/**
 * Finds the runs that a worker holds without executing them: a release failed, or the answer to a claim or to
 * the write of a claimed run was lost or late.
 */
export class IdleRuns {
  readonly #busyRunIds: () => Set<number>;
  /** The ids of the runs that were idle at the last look. */
  #lastIdle: ReadonlySet<number> = new Set();

  /** `busy` returns the ids of the runs that are executed here. */
  constructor(busy: () => Set<number>) {
    this.#busyRunIds = busy;
  }

  /**
   * Makes runs ready that were idle at two looks, since a run that was claimed just now is not executed yet.
   * Returns their number.
   */
  async takeOver(worker: string): Promise<number> {
    const held = await RunModel.find({ worker }, { _id: 1 }).lean();
    const idle = new Set(held.map(({ _id }) => _id)).difference(this.#busyRunIds());
    let taken = 0;
    for (const runId of idle.intersection(this.#lastIdle))
      taken += await takeOverRuns(worker, runId);
    this.#lastIdle = idle;
    return taken;
  }
}
