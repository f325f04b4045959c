import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';

/** Milliseconds after which the timer looks for due runs at the latest; a Node timer must be shorter than 25 days. */
const MAX_SLEEP_MS = 60 * 60 * 1_000;
/** The waiting runs that the first look of a pass reads. Where all of them are due, further looks read `MAX_WAKE_BATCH`. */
const FIRST_LOOK = 4;
/** The most runs that one command wakes; the next command wakes further runs. Other writes go between the commands. */
export const MAX_WAKE_BATCH = 64;
/** Milliseconds until the next look after a command that woke no run, because of another worker or an early estimate of the time. */
const MISS_DELAY_MS = 50;

const WAITING_FIELDS = { wakeAt: 1, flowId: 1, concurrency: 1 } as const;
type WaitingRun = Pick<RunDocument, '_id' | 'flowId' | 'concurrency'> & { wakeAt: Date };

export interface WakerOptions {
  /** Called with the runs of a pass, some of which this process has woken. */
  onWoken: (runs: readonly WaitingRun[]) => void;
  onError: (error: unknown) => void;
}

/**
 * Makes waiting runs ready at their `wakeAt`, in bounded batches from the earliest on. A timer is set to the earliest
 * known time: `armTimer` names times of this process, and `wakeDueRuns` reads the times of all processes.
 */
export class Waker {
  readonly #options: WakerOptions;
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;
  #isStopped = false;
  #pass: Promise<void> | null = null;
  /** Whether a look was asked for since the last one began. */
  #isWanted = false;

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** Sets the timer to the time of a waiting run, unless the timer is set to an earlier time. */
  armTimer(at: Date): void {
    const time = at.getTime();
    if (this.#isStopped || time >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = time;
    const ms = Math.min(Math.max(time - databaseClock.now(), 0), MAX_SLEEP_MS);
    this.#timer = setTimeout(() => {
      this.#at = Number.POSITIVE_INFINITY;
      this.wakeDueRuns().catch(this.#options.onError);
    }, ms);
  }

  /**
   * Makes the due runs ready, and sets the timer to the time of the next waiting run. A call during a pass has that pass
   * look once more, because it may have read the waiting runs before the call.
   */
  wakeDueRuns(): Promise<void> {
    this.#isWanted = true;
    this.#pass ??= this.#wakeWhileWanted();
    return this.#pass;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#isStopped = true;
  }

  async #wakeWhileWanted(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false;
        this.armTimer(await this.#wakeBatches());
      }
    } finally {
      this.#pass = null; // in the same turn as the last look at `#isWanted`
    }
  }

  /** Wakes the due runs. Returns the time of the next look. */
  async #wakeBatches(): Promise<Date> {
    for (let limit = FIRST_LOOK; ; limit = MAX_WAKE_BATCH) {
      const waiting = await findEarliest(limit);
      const now = databaseClock.date();
      const due = waiting.filter(({ wakeAt }) => wakeAt <= now);
      const next = waiting[due.length]?.wakeAt;
      if (!due.length || this.#isStopped) return next ?? new Date(now.getTime() + MAX_SLEEP_MS);
      const woken = await wakeRuns(due, now);
      if (!woken) return new Date(now.getTime() + MISS_DELAY_MS);
      this.#options.onWoken(due);
      if (next) return next;
    }
  }
}

/** Reads the waiting runs of the earliest times, in the order of the index on `wakeAt`. */
const findEarliest = (limit: number): Promise<WaitingRun[]> =>
  RunModel.find({ wakeAt: { $gt: new Date(0) } }, WAITING_FIELDS)
    .sort({ wakeAt: 1 })
    .limit(limit)
    .lean<WaitingRun[]>();

/**
 * Wakes runs that still wait and are due by the clock of the database. Returns their number. A run that another process
 * woke in between has no `wakeAt`, and is not woken again.
 */
async function wakeRuns(due: readonly WaitingRun[], now: Date): Promise<number> {
  const { limited = [], others = [] } = Object.groupBy(due, ({ concurrency }) =>
    concurrency === undefined ? 'others' : 'limited',
  );
  let woken = others.length ? await makeReady(others, now) : 0;
  if (limited.length) {
    woken += await makeReady(limited, now, { permit: { $exists: true } }); // postponed runs keep their permit
    woken += await requestPermits(limited, now);
  }
  return woken;
}

const dueOf = (runs: readonly WaitingRun[], now: Date) => ({
  _id: { $in: runs.map(({ _id }) => _id) },
  wakeAt: { $gt: new Date(0), $lte: now },
  $expr: { $lte: ['$wakeAt', '$$NOW'] },
});

async function makeReady(
  runs: readonly WaitingRun[],
  now: Date,
  only: { permit?: { $exists: true } } = {},
): Promise<number> {
  const { modifiedCount } = await RunModel.updateMany(
    { ...dueOf(runs, now), ...only },
    { $set: { ready: true }, $currentDate: { readyAt: true }, $unset: { wakeAt: 1 } },
  );
  return modifiedCount;
}

async function requestPermits(runs: readonly WaitingRun[], now: Date): Promise<number> {
  const { modifiedCount } = await RunModel.updateMany(
    { ...dueOf(runs, now), permit: { $exists: false } },
    { $currentDate: { permitRequestedAt: true }, $unset: { wakeAt: 1 } },
  );
  return modifiedCount;
}
