import type { Logger } from 'pino';
import { RunModel } from '../../../../models/run.model.ts';
import { LogThrottle } from '../../../../support/log-throttle.ts';
import { runsUnmatched } from '../../runs.diagnostics.ts';
import type { ReadyRun } from './ready-runs.ts';

/** The most ids, and the most filters, in one line of the log; `count` has the number of all runs. */
const MAX_LOGGED = 20;

/** A listed run that claims did not match. */
interface Miss {
  run: ReadyRun;
  /** The filter of the last claim that should have matched the run. */
  filter: object;
  /** The number of lists in a row with the run after each of which a claim did not match it. */
  lists: number;
  /** Whether a claim did not match the run since the last list. */
  isCounted: boolean;
}

/**
 * Finds ready runs that no claim matches, such as a run with a damaged field. A run counts when two lists in a row had
 * it, a claim after each list did not match it, and a read after the second claim finds it ready since before the first
 * list. So a run that another worker has claimed, or that waits for room, never counts.
 *
 * Lists and claims cost no command more. The read is made only for runs that were missed twice.
 */
export class UnmatchedRuns {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #throttle: LogThrottle<'unmatched'>;
  readonly #misses = new Map<number, Miss>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(logger: Pick<Logger, 'warn'>, now = () => performance.now()) {
    this.#logger = logger;
    this.#throttle = new LogThrottle(now);
  }

  /** Notes a list of ready runs. Forgets the runs that are not ready any more, or were not ready in between. */
  noteList(listed: readonly ReadyRun[]): void {
    if (this.#misses.size === 0) return;
    const runs = new Map(listed.map((run) => [run._id, run]));
    for (const [id, miss] of this.#misses) {
      if (isSameReadiness(miss.run, runs.get(id))) miss.isCounted = false;
      else this.#misses.delete(id);
    }
  }

  /** Notes that a claim with the filter, which should have matched each of the listed runs, matched none. */
  noteMiss(runs: readonly ReadyRun[], filter: object): void {
    for (const run of runs) {
      const { lists, isCounted } = this.#misses.get(run._id) ?? { lists: 0, isCounted: false };
      const miss = { run, filter, lists: isCounted ? lists : lists + 1, isCounted: true };
      this.#misses.set(run._id, miss);
    }
  }

  /** Publishes the number of the runs that match no claim, and logs them at most once a minute. */
  async report(): Promise<void> {
    const missed = [...this.#misses.values()].filter(({ lists }) => lists > 1);
    const ready = new Set(missed.length ? await findStillReady(missed.map(({ run }) => run)) : []);
    const unmatched = missed.filter(({ run }) => ready.has(run._id));
    runsUnmatched.publish({ runs: unmatched.length });
    if (!unmatched.length || !this.#throttle.allows('unmatched')) return;
    const filters = new Map(unmatched.map(({ filter }) => [JSON.stringify(filter), filter]));
    this.#logger.warn(
      {
        count: unmatched.length,
        runIds: unmatched.slice(0, MAX_LOGGED).map(({ run }) => run._id),
        filters: [...filters.values()].slice(0, MAX_LOGGED),
      },
      'Ready runs match no claim: they never begin',
    );
  }
}

type Readiness = Pick<ReadyRun, '_id' | 'readyAt'>;

/** Finds those of the runs that have stayed ready since they were read. Returns their ids. */
export async function findStillReady(runs: readonly Readiness[]): Promise<number[]> {
  const ids = runs.map(({ _id }) => _id);
  const found = await RunModel.find({ _id: { $in: ids }, ready: true }, { readyAt: 1 })
    .read('primary')
    .lean<Readiness[]>();
  const byId = new Map(found.map((run) => [run._id, run]));
  return ids.filter((id, at) => isSameReadiness(runs[at], byId.get(id)));
}

/** Whether a run was ready all the time between two reads: `readyAt` changes whenever a run becomes ready. */
const isSameReadiness = (before: Readiness | undefined, after: Readiness | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  JSON.stringify(before.readyAt ?? null) === JSON.stringify(after.readyAt ?? null);
