import { RunModel } from '../../../models/run.model.ts';
import { takeOver } from './take-over.ts';

/**
 * Runs that a worker holds without working on them: a release failed, or the answer to a claim or to the
 * write of a claimed run was lost.
 */
export class IdleRuns {
  readonly #busy: () => Set<number>;
  /** Those of the last look. */
  #last: ReadonlySet<number> = new Set();

  /** `busy` are the runs that are worked on. */
  constructor(busy: () => Set<number>) {
    this.#busy = busy;
  }

  /** Makes ready what has been idle for two looks: a run that was claimed just now is not busy yet. */
  async takeOver(worker: string): Promise<number> {
    const held = await RunModel.find({ worker }, { _id: 1 }).lean();
    const idle = new Set(held.map(({ _id }) => _id)).difference(this.#busy());
    let taken = 0;
    for (const runId of idle.intersection(this.#last)) taken += await takeOver(worker, runId);
    this.#last = idle;
    return taken;
  }
}
