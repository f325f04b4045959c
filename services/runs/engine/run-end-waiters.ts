import { RunModel } from '../../../models/run.model.ts';
import { repeatWork } from '../../../support/periodic-work.ts';
import type { ShownRun } from '../show-run.ts';

/** Milliseconds between two reads of the awaited runs. A read finds an end whose event was lost. */
const LOOKUP_INTERVAL_MS = 2_000;
/** Milliseconds for which a stopping process is remembered. Then its name may belong to a new process. */
const STOPPING_NODE_TTL_MS = 10_000;

interface Waiter {
  /** The process of the waiting client. */
  nodeID: string | null;
  settle: (run?: ShownRun | null) => void;
}

interface Wait {
  ended: Promise<ShownRun | null>;
  settle: () => void;
}

/** Requests that wait for the end of a run. */
export class RunEndWaiters {
  readonly #waiters = new Map<number, Set<Waiter>>();
  readonly #stoppingNodes = new Set<string | null>();
  readonly #stop: () => void;
  #isClosed = false;

  constructor(failed: (error: unknown) => void) {
    this.#stop = repeatWork(LOOKUP_INTERVAL_MS, () => this.#resolveEndedRuns(), failed);
  }

  /**
   * Resolves with the run when it has ended in this process, and with null when it has ended elsewhere, after
   * `ms` milliseconds, or when this process or the one of the client stops.
   */
  waitForEnd(runId: number, ms: number, nodeID: string | null): Promise<ShownRun | null> {
    return this.#wait(runId, ms, nodeID).ended;
  }

  /** Begins a wait, which `settle` ends early. */
  #wait(runId: number, ms: number, nodeID: string | null): Wait {
    if (this.#isClosed || this.#stoppingNodes.has(nodeID)) {
      return { ended: Promise.resolve(null), settle: () => undefined };
    }
    const { promise: ended, resolve } = Promise.withResolvers<ShownRun | null>();
    const waiting = this.#waiters.get(runId) ?? new Set();
    this.#waiters.set(runId, waiting);
    const settle = (run: ShownRun | null = null) => {
      clearTimeout(timer);
      waiting.delete(one);
      if (!waiting.size && this.#waiters.get(runId) === waiting) this.#waiters.delete(runId);
      resolve(run);
    };
    const timer = setTimeout(() => settle(), ms);
    const one: Waiter = { nodeID, settle };
    waiting.add(one);
    return { ended, settle };
  }

  /** Stores a run and waits for its end. The wait begins before the store, so that it cannot miss the end. */
  async storeAndWait<T>(
    { runId, ms, nodeID }: { runId: number; ms: number; nodeID: string | null },
    store: () => Promise<T>,
  ): Promise<{ stored: T; ended: Promise<ShownRun | null> }> {
    const { ended, settle } = this.#wait(runId, ms, nodeID);
    try {
      return { stored: await store(), ended };
    } catch (error) {
      settle(); // and no wait of another attempt, which may have stored the run
      throw error;
    }
  }

  /** Resolves the requests that wait for a run, with the run where it is known. Returns whether a request waited. */
  resolveRun(runId: number, run?: ShownRun | null): boolean {
    const waiting = [...(this.#waiters.get(runId) ?? [])];
    for (const { settle } of waiting) settle(run);
    return waiting.length > 0;
  }

  /** Resolves the requests of a stopping process, which can still answer its clients. */
  releaseNode(nodeID: string | null): void {
    this.#stoppingNodes.add(nodeID);
    setTimeout(() => this.#stoppingNodes.delete(nodeID), STOPPING_NODE_TTL_MS).unref();
    for (const waiting of [...this.#waiters.values()].flatMap((all) => [...all])) {
      if (waiting.nodeID === nodeID) waiting.settle();
    }
  }

  /** Resolves all waiting requests; later requests resolve at once. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
    for (const runId of [...this.#waiters.keys()]) this.resolveRun(runId);
  }

  async #resolveEndedRuns(): Promise<void> {
    const ids = [...this.#waiters.keys()];
    if (!ids.length) return;
    const ended = await RunModel.find(
      { _id: { $in: ids }, live: { $exists: false } },
      { _id: 1 },
    ).lean();
    for (const { _id } of ended) this.resolveRun(_id);
  }
}
