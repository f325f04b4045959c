import type { RecordedEvent } from '../../../contract/outgoing-event.ts';
import { RunModel } from '../../../models/run.model.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import { repeatWork } from '../engine/periodic-work.ts';
import { SHOWN_FIELDS, type ShownRun } from '../show-run.ts';
import { pendingEventsOf, pendingTypesOf } from './run-events.ts';

/** Milliseconds for which started and ended runs are gathered before their events are published together. */
const GATHER_MS = 500;
/** Runs of one batch; further runs wait for the next batch. */
const MAX_BATCH = 200;
/** Runs whose documents are read at once, since a run may have 500 KiB. */
const MAX_READ = 20;
/** Runs of this process that wait in memory; further runs are left to the sweep. */
const MAX_WAITING = 10_000;
/** Milliseconds between two sweeps for runs whose process has not published their events. */
const SWEEP_EVERY_MS = 5_000;

export interface RunEventOptions {
  /** The types of events that each workspace wants. */
  wanted: (
    workspaceIds: number[],
  ) => Promise<readonly { workspaceId: number; types: readonly string[] }[]>;
  record: (events: readonly RecordedEvent[]) => Promise<void>;
  /** Whether this process sweeps. */
  isSweeper: () => Promise<boolean>;
  onError: (error: unknown) => void;
}

type FlaggedRun = Pick<ShownRun, '_id' | 'workspaceId' | 'status' | 'isChild' | 'eventsPending'>;
const FLAGGED = { workspaceId: 1, status: 1, isChild: 1, eventsPending: 1 } as const;

/**
 * Publishes the starts and ends of runs. The write that starts or ends a run sets a flag in its document; the flag is
 * cleared once the event is recorded, or nobody wants it. A process publishes its own runs, and one process sweeps for those
 * that were left. A repeated publication has no effect, because an event has the same id each time.
 */
export class RunEventPublisher {
  readonly #options: RunEventOptions;
  readonly #waiting = new Set<number>();
  readonly #loop: WorkLoop;
  #gathering: NodeJS.Timeout | undefined;
  #stopSweep: () => void = () => undefined;

  constructor(options: RunEventOptions) {
    this.#options = options;
    this.#loop = new WorkLoop(() => this.#publishWaiting(), options.onError);
  }

  start(): void {
    this.#stopSweep = repeatWork(SWEEP_EVERY_MS, () => this.#sweep(), this.#options.onError);
  }

  /** Notes that a run has started or ended in this process. */
  readonly notify = (runId: number): void => {
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(runId);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#loop.wake();
    }, GATHER_MS).unref();
  };

  /** Publishes what waits, and stops. */
  async stop(): Promise<void> {
    this.#stopSweep();
    clearTimeout(this.#gathering);
    this.#loop.wake();
    await this.#loop.stop();
  }

  async #publishWaiting(): Promise<void> {
    const waiting = [...this.#waiting]; // runs that come meanwhile are gathered for the next round
    this.#waiting.clear();
    for (let start = 0; start < waiting.length; start += MAX_BATCH) {
      await this.#publish({ _id: { $in: waiting.slice(start, start + MAX_BATCH) } });
    }
  }

  async #sweep(): Promise<void> {
    if (!(await this.#options.isSweeper())) return;
    for (let _id = { $gt: 0 }; ; ) {
      const runs = await this.#publish({ _id });
      const last = runs.at(-1);
      if (!last || runs.length < MAX_BATCH) return;
      _id = { $gt: last._id };
    }
  }

  async #publish(filter: object): Promise<readonly FlaggedRun[]> {
    const runs = await RunModel.collection
      .find<FlaggedRun>({ ...filter, eventsPending: { $gt: 0 } } as never, {
        projection: FLAGGED,
        sort: { eventsPending: 1, _id: 1 },
        limit: MAX_BATCH,
        batchSize: MAX_BATCH + 1,
      })
      .toArray();
    if (!runs.length) return runs;
    await this.#record(await this.#wantedOf(runs));
    await clearFlags(runs);
    return runs;
  }

  /** Those of the runs that have an event which some subscription asks for, and a test whether it asks for an event. */
  async #wantedOf(runs: readonly FlaggedRun[]) {
    const workspaceIds = [...new Set(runs.map(({ workspaceId }) => workspaceId))];
    const wanted = await this.#options.wanted(workspaceIds);
    const types = new Map(wanted.map((of) => [of.workspaceId, new Set(of.types)]));
    const isWanted = ({ workspaceId, type }: Pick<RecordedEvent, 'workspaceId' | 'type'>) =>
      types.get(workspaceId)?.has(type) ?? false;
    const ids = runs
      .filter((run) =>
        pendingTypesOf(run).some((type) => isWanted({ workspaceId: run.workspaceId, type })),
      )
      .map(({ _id }) => _id);
    return { ids, isWanted };
  }

  async #record({
    ids,
    isWanted,
  }: {
    ids: readonly number[];
    isWanted: (event: RecordedEvent) => boolean;
  }): Promise<void> {
    for (let start = 0; start < ids.length; start += MAX_READ) {
      const some = { _id: { $in: ids.slice(start, start + MAX_READ) } };
      const runs = await RunModel.find(some, SHOWN_FIELDS).sort({ _id: 1 }).lean<ShownRun[]>();
      await this.#options.record(runs.flatMap(pendingEventsOf).filter(isWanted));
    }
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
