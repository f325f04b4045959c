import type { RecordedEvent } from '../../../contract/outgoing-event.ts';
import { isTransientError } from '../../../support/transient-errors.ts';
import { RefusedEntries } from '../../../mixins/changes/refused-entries.ts';
import { RunModel } from '../../../models/run.model.ts';
import { logger } from '../../../support/logging.ts';
import { SHOWN_FIELDS, type ShownRun } from '../show-run.ts';
import { pendingEventsOf, pendingTypesOf } from './run-events.ts';

/** Runs whose documents are read at once, since a run may have 500 KiB. */
const MAX_READ = 20;

/** The calls of the service `events`. */
export interface RunEventCalls {
  /** The types of events that each workspace wants. */
  wanted: (
    workspaceIds: number[],
  ) => Promise<readonly { workspaceId: number; types: readonly string[] }[]>;
  record: (events: readonly RecordedEvent[]) => Promise<void>;
}

/** A run that has events to publish. */
export type FlaggedRun = Pick<
  ShownRun,
  '_id' | 'workspaceId' | 'status' | 'isChild' | 'eventsPending'
>;
type IsWanted = (event: Pick<RecordedEvent, 'workspaceId' | 'type'>) => boolean;

/**
 * Records the events of runs that some subscription asks for. A run whose events are refused holds up no other run: it is
 * recorded alone, and again after a backoff.
 */
export class RunEventRecorder {
  readonly #calls: RunEventCalls;
  readonly #refused = new RefusedEntries(logger);

  constructor(calls: RunEventCalls) {
    this.#calls = calls;
  }

  /** Records the events of runs, and answers the runs that need it no more. Throws while the service is away. */
  async record(runs: readonly FlaggedRun[]): Promise<FlaggedRun[]> {
    const due = runs.filter(({ _id }) => !this.#refused.isDelayed(entryOf(_id)));
    if (!due.length) return [];
    const isWanted = await this.#wantedBy(due);
    const ids = due.filter((run) => hasWanted(run, isWanted)).map(({ _id }) => _id);
    const refused = new Set<number>();
    for (let start = 0; start < ids.length; start += MAX_READ) {
      const read = await readRuns(ids.slice(start, start + MAX_READ));
      for (const runId of await this.#recordSome(read, isWanted)) refused.add(runId);
    }
    const done = due.filter(({ _id }) => !refused.has(_id));
    this.#refused.drop(done.map(({ _id }) => entryOf(_id)));
    return done;
  }

  async #wantedBy(runs: readonly FlaggedRun[]): Promise<IsWanted> {
    const workspaceIds = [...new Set(runs.map(({ workspaceId }) => workspaceId))];
    const wanted = await this.#calls.wanted(workspaceIds);
    const types = new Map(wanted.map((of) => [of.workspaceId, new Set(of.types)]));
    return ({ workspaceId, type }) => types.get(workspaceId)?.has(type) ?? false;
  }

  /** Answers the runs whose events are refused. */
  async #recordSome(runs: readonly ShownRun[], isWanted: IsWanted): Promise<number[]> {
    try {
      await this.#calls.record(runs.flatMap(pendingEventsOf).filter(isWanted));
      return [];
    } catch (error) {
      if (isTransientError(error)) throw error;
      const [only, ...others] = runs;
      if (!only) return [];
      if (others.length) return this.#recordEach(runs, isWanted);
      this.#refused.add({ id: entryOf(only._id), call: 'events.record' }, error);
      return [only._id];
    }
  }

  async #recordEach(runs: readonly ShownRun[], isWanted: IsWanted): Promise<number[]> {
    const refused: number[] = [];
    for (const run of runs) refused.push(...(await this.#recordSome([run], isWanted)));
    return refused;
  }
}

const entryOf = (runId: number): string => `run/${runId}`;

const hasWanted = (run: FlaggedRun, isWanted: IsWanted): boolean =>
  pendingTypesOf(run).some((type) => isWanted({ workspaceId: run.workspaceId, type }));

const readRuns = (ids: readonly number[]): Promise<ShownRun[]> =>
  RunModel.find({ _id: { $in: ids } }, SHOWN_FIELDS)
    .sort({ _id: 1 })
    .lean<ShownRun[]>()
    .exec();
