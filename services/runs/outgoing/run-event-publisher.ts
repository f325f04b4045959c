import { isTransientError } from '../../../support/transient-errors.ts';
import { RUN_EVENTS, RunModel } from '../../../models/run.model.ts';
import { IDLE_FACTOR } from '../../../support/activity.ts';
import { repeatWork } from '../../../support/periodic-work.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import { type FlaggedRun, type RunEventCalls, RunEventRecorder } from './run-event-recorder.ts';

/** Milliseconds for which started and ended runs are gathered before their events are published together. */
const GATHER_MS = 500;
/** Milliseconds until runs are published again that met a service or a database that is away. */
const RETRY_MS = 1_000;
/** Runs of one batch; further runs wait for the next batch. */
const MAX_BATCH = 200;
/** Runs of this process that wait in memory; further runs are left to the sweep. */
const MAX_WAITING = 10_000;
/** Milliseconds between two sweeps for runs whose process has not published their events. */
const SWEEP_EVERY_MS = 5_000;
/** The values of `eventsPending`. A sweep goes through the runs of each in the order of the index. */
const FLAGS = [RUN_EVENTS.started, RUN_EVENTS.ended, RUN_EVENTS.started | RUN_EVENTS.ended];

export interface RunEventOptions extends RunEventCalls {
  /** Whether this process sweeps. */
  isSweeper: () => Promise<boolean>;
  onError: (error: unknown) => void;
}

const FLAGGED = { workspaceId: 1, status: 1, isChild: 1, eventsPending: 1 } as const;

/**
 * Publishes the starts and ends of runs. The write that starts or ends a run sets a flag in its document; the flag is
 * cleared once the event is recorded, or nobody wants it. A process publishes its own runs, and one process sweeps for those
 * that were left. A repeated publication has no effect, because an event has the same id each time.
 */
export class RunEventPublisher {
  readonly #options: RunEventOptions;
  readonly #recorder: RunEventRecorder;
  readonly #waiting = new Set<number>();
  readonly #loop: WorkLoop;
  #gathering: NodeJS.Timeout | undefined;
  #stopSweep: () => void = () => undefined;

  constructor(options: RunEventOptions) {
    this.#options = options;
    this.#recorder = new RunEventRecorder(options);
    this.#loop = new WorkLoop(() => this.#publishWaiting(), options.onError);
  }

  start(): void {
    const { onError } = this.#options;
    this.#stopSweep = repeatWork(SWEEP_EVERY_MS, () => this.#sweep(), onError, IDLE_FACTOR);
  }

  /** Notes that a run has started or ended in this process. */
  readonly notify = (runId: number): void => {
    this.#add([runId]);
    this.#gather(GATHER_MS);
  };

  /** Publishes what waits, and stops. */
  async stop(): Promise<void> {
    this.#stopSweep();
    clearTimeout(this.#gathering);
    this.#loop.wake();
    await this.#loop.stop();
  }

  #add(runIds: readonly number[]): void {
    for (const runId of runIds) if (this.#waiting.size < MAX_WAITING) this.#waiting.add(runId);
  }

  #gather(ms: number): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#loop.wake();
    }, ms).unref();
  }

  /** Publishes the waiting runs. What has met an outage waits again, with the runs behind it. */
  async #publishWaiting(): Promise<void> {
    const waiting = [...this.#waiting]; // runs that come meanwhile are gathered for the next round
    this.#waiting.clear();
    try {
      while (waiting.length) {
        await this.#publish({ _id: { $in: waiting.slice(0, MAX_BATCH) } });
        waiting.splice(0, MAX_BATCH);
      }
    } catch (error) {
      this.#add(waiting);
      this.#gather(RETRY_MS);
      if (!isTransientError(error)) throw error;
    }
  }

  async #sweep(): Promise<void> {
    if (!(await this.#options.isSweeper())) return;
    for (const eventsPending of FLAGS) {
      for (let after = 0; ; ) {
        const runs = await this.#publish({ eventsPending, _id: { $gt: after } });
        const last = runs.at(-1);
        if (!last || runs.length < MAX_BATCH) break;
        after = last._id;
      }
    }
  }

  /** Publishes the events of at most `MAX_BATCH` runs, those with the lowest ids, and answers these runs. */
  async #publish(filter: object): Promise<readonly FlaggedRun[]> {
    const runs = await RunModel.collection
      .find<FlaggedRun>({ eventsPending: { $gt: 0 }, ...filter } as never, {
        projection: FLAGGED,
        sort: { _id: 1 },
        limit: MAX_BATCH,
        batchSize: MAX_BATCH + 1,
      })
      .toArray();
    const recorded = runs.length ? await this.#recorder.record(runs) : [];
    if (recorded.length) await clearFlags(recorded);
    return runs;
  }
}

/** Clears the flags that were read. A run that has ended meanwhile has another value, and keeps its flags. */
async function clearFlags(runs: readonly FlaggedRun[]): Promise<void> {
  const writes = [...Map.groupBy(runs, ({ eventsPending }) => eventsPending)].map(
    ([eventsPending, alike]) => ({
      updateMany: {
        filter: { _id: { $in: alike.map(({ _id }) => _id) }, eventsPending },
        update: { $unset: { eventsPending: '' } },
      },
    }),
  );
  await RunModel.collection.bulkWrite(writes as never[], { ordered: false });
}
