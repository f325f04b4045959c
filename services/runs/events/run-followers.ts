import { RunModel } from '../../../models/run.model.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import { repeatWork } from '../../../support/periodic-work.ts';
import { runNotFound } from '../find-run.ts';
import { runProgressed } from '../runs.diagnostics.ts';
import { type EventPosition, textOf } from './event-position.ts';
import { type EventRun, findEventRun } from './event-source.ts';
import { type ReadEvents, readEvents, stateOf } from './read-events.ts';

/** Milliseconds between two looks at the followed runs. One command looks at all followed runs. */
const LOOK_MS = 500;
/** Milliseconds for which a call waits for an event. Then it answers without one, and the access is checked again. */
const WAIT_MS = 2_500;
/** Milliseconds for which the events after the first one are collected, so that a fast run makes few answers. */
const COLLECT_MS = 30;

/** Runs whose last progress is remembered, for the calls that have read them and do not wait yet. */
const MAX_PROGRESSED = 10_000;

interface Follower {
  /** The state of the run in which it had no further event. */
  state: string;
  /** Lets the call read again: soon, or at once where the run has ended and gives no further event. */
  wake: (hasEnded?: boolean) => void;
}

/** The calls of this process that follow runs. Calls that read the same events share one read. */
export class RunFollowers {
  readonly #followers = new Map<number, Set<Follower>>();
  readonly #reads = new Map<string, Promise<ReadEvents>>();
  /** The times at which runs were heard to progress, by `performance.now`. */
  readonly #progressed = lruCache<number, number>(MAX_PROGRESSED);
  readonly #stops: (() => void)[];
  #isClosed = false;

  constructor(failed: (error: unknown) => void) {
    this.#stops = [
      repeatWork(LOOK_MS, () => this.#lookAtRuns(), failed),
      runProgressed.subscribe(({ runId, hasEnded }) => this.wakeRun(runId, hasEnded)),
    ];
  }

  /** Reads the events of a run after a position. Waits for the next event where there is none and `mayWait` is true. */
  async read(
    run: EventRun,
    position: EventPosition,
    mayWait: boolean,
  ): Promise<ReadEvents['page']> {
    const { page, state } = await readEvents(run, position);
    if (!mayWait || page.events.length > 0 || page.next === null) return page;
    const isOutdated = (this.#progressed.get(run._id) ?? 0) > run.readAt;
    if (!isOutdated) await this.#waitForChange(run._id, state);
    return (await this.#readAgain(run._id, position)).page;
  }

  #readAgain(runId: number, position: EventPosition): Promise<ReadEvents> {
    const key = `${runId} ${textOf(position)}`;
    const read = async () => {
      const run = await findEventRun(runId);
      if (!run) throw runNotFound(runId);
      return readEvents(run, position);
    };
    const reading = this.#reads.get(key) ?? read().finally(() => this.#reads.delete(key));
    this.#reads.set(key, reading);
    return reading;
  }

  /** Resolves when the run may have left the state, after `WAIT_MS`, or when the process stops. */
  #waitForChange(runId: number, state: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const of = this.#followers.get(runId) ?? new Set();
      this.#followers.set(runId, of);
      let collecting: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        clearTimeout(collecting);
        of.delete(follower);
        if (!of.size) this.#followers.delete(runId);
        resolve();
      };
      const timer = setTimeout(end, WAIT_MS);
      const wake = (hasEnded = false) => {
        if (this.#isClosed || hasEnded) end();
        else collecting ??= setTimeout(end, COLLECT_MS);
      };
      const follower: Follower = { state, wake };
      of.add(follower);
    });
  }

  /** Lets the calls that follow a run read again, at once where the run has ended. */
  wakeRun(runId: number, hasEnded = false): void {
    this.#progressed.set(runId, performance.now());
    for (const { wake } of [...(this.#followers.get(runId) ?? [])]) wake(hasEnded);
  }

  /** Answers all calls; later calls do not wait. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    for (const runId of [...this.#followers.keys()]) this.wakeRun(runId);
  }

  async #lookAtRuns(): Promise<void> {
    const ids = [...this.#followers.keys()];
    if (!ids.length) return;
    const fields = { status: 1, events: 1, suspended: 1 };
    const runs = await RunModel.find({ _id: { $in: ids } }, fields).lean();
    const states = new Map(runs.map((run) => [run._id, stateOf(run)]));
    for (const [runId, of] of this.#followers) {
      if (!ids.includes(runId)) continue;
      for (const { state, wake } of [...of]) if (states.get(runId) !== state) wake();
    }
  }
}
