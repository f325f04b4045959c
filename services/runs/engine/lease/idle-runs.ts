import { RunModel } from '../../../../models/run.model.ts';
import { takeOverRuns } from './takeover.ts';

/**
 * Milliseconds between a claim and its answer, by the monotonic clock. A run that is claimed later than that is
 * not begun: the sweep looks twice, at least 5 s apart, and may be about to take the run over as idle.
 */
const MAX_CLAIM_MS = 4_000;

/** Whether the answer to a claim that was sent at `sentAt` comes too late to begin its run. */
export const isLateClaim = (sentAt: number, now: number): boolean => now - sentAt > MAX_CLAIM_MS;

/**
 * Runs that a worker holds without working on them: a release failed, or the answer to a claim or to the
 * write of a claimed run was lost or came late.
 */
export class IdleRuns {
  readonly #busyRunIds: () => Set<number>;
  /** Those of the last look. */
  #lastIdle: ReadonlySet<number> = new Set();

  /** `busy` are the runs that are worked on. */
  constructor(busy: () => Set<number>) {
    this.#busyRunIds = busy;
  }

  /** Makes ready what has been idle for two looks: a run that was claimed just now is not busy yet. */
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
