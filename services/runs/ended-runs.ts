import { RunModel } from '../../models/run.model.ts';
import { repeat } from './worker/repeat.ts';

/** How often runs that are waited for are looked up, in case the news of their end was lost. */
const LOOK_MS = 2_000;

/** Requests that wait for the end of a run. */
export class EndedRuns {
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #stop: () => void;
  #closed = false;

  constructor(failed: (error: unknown) => void) {
    this.#stop = repeat(LOOK_MS, () => this.#look(), failed);
  }

  /** Resolves when the run has ended, after `ms` milliseconds, or when the process stops. */
  until(runId: number, ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(runId) ?? new Set();
      this.#waiting.set(runId, waiting);
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(settle);
        if (!waiting.size) this.#waiting.delete(runId);
        resolve();
      };
      const timer = setTimeout(settle, ms);
      waiting.add(settle);
    });
  }

  /** The news that a run has ended. */
  tell(runId: number): void {
    for (const settle of this.#waiting.get(runId) ?? []) settle();
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#closed = true;
    this.#stop();
    for (const runId of [...this.#waiting.keys()]) this.tell(runId);
  }

  async #look(): Promise<void> {
    const ids = [...this.#waiting.keys()];
    if (!ids.length) return;
    const ended = await RunModel.find(
      { _id: { $in: ids }, live: { $exists: false } },
      { _id: 1 },
    ).lean();
    for (const { _id } of ended) this.tell(_id);
  }
}
