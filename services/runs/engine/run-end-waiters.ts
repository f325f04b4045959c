import { RunModel } from '../../../models/run.model.ts';
import type { ShownRun } from '../show-run.ts';
import { repeat } from './periodic-work.ts';

/** How often runs that are waited for are looked up, in case the news of their end was lost. */
const LOOK_MS = 2_000;
/** A process that says it leaves is gone after so long; its name may then be another's. */
const GONE_AFTER_MS = 10_000;

interface Waiting {
  /** The process whose client waits. */
  for: string | null;
  settle: (run?: ShownRun | null) => void;
}

/** Requests that wait for the end of a run. */
export class EndedRuns {
  readonly #waiting = new Map<number, Set<Waiting>>();
  readonly #leaving = new Set<string | null>();
  readonly #stop: () => void;
  #closed = false;

  constructor(failed: (error: unknown) => void) {
    this.#stop = repeat(LOOK_MS, () => this.#look(), failed);
  }

  /**
   * Resolves with the run when it has ended in this process, and with null when it has ended elsewhere, after
   * `ms` milliseconds, or when this process or the asking one leaves.
   */
  until(runId: number, ms: number, nodeID: string | null): Promise<ShownRun | null> {
    if (this.#closed || this.#leaving.has(nodeID)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(runId) ?? new Set();
      this.#waiting.set(runId, waiting);
      const settle = (run: ShownRun | null = null) => {
        clearTimeout(timer);
        waiting.delete(one);
        if (!waiting.size) this.#waiting.delete(runId);
        resolve(run);
      };
      const timer = setTimeout(() => settle(), ms);
      const one: Waiting = { for: nodeID, settle };
      waiting.add(one);
    });
  }

  /** Waits for the end of a run from before it is stored, so that none is missed; not when the store fails. */
  async untilStored<T>(
    { runId, ms, nodeID }: { runId: number; ms: number; nodeID: string | null },
    store: () => Promise<T>,
  ): Promise<{ stored: T; ended: Promise<ShownRun | null> }> {
    const ended = this.until(runId, ms, nodeID);
    try {
      return { stored: await store(), ended };
    } catch (error) {
      this.tell(runId);
      throw error;
    }
  }

  /** The news that a run has ended, with the run where it is known. Returns whether a request waited for it. */
  tell(runId: number, run?: ShownRun | null): boolean {
    const waiting = [...(this.#waiting.get(runId) ?? [])];
    for (const { settle } of waiting) settle(run);
    return waiting.length > 0;
  }

  /** That process leaves: its clients are to be answered while it can still do so. */
  leave(nodeID: string | null): void {
    this.#leaving.add(nodeID);
    setTimeout(() => this.#leaving.delete(nodeID), GONE_AFTER_MS).unref();
    for (const waiting of [...this.#waiting.values()].flatMap((all) => [...all])) {
      if (waiting.for === nodeID) waiting.settle();
    }
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
