import { type Db, MongoClient } from 'mongodb';
import type { JournalEntry } from '../../../../models/journal-entry.ts';
import type { RunDocument } from '../../../../models/run.model.ts';
import { type RunStepDocument, runStepIds } from '../../../../models/run-step.model.ts';
import type { WorkerDocument } from '../../../../models/worker.model.ts';
import { comes } from '../../../helpers/wait.ts';
import type { Fault } from '../../checks.ts';

/** Milliseconds in which all runs end after the last fault. A run that lives longer is a fault. */
const END_WITHIN_MS = 60_000;
/** Milliseconds in which the sweeps finish what a crash has left: rollups, and rows of workers. */
const SWEPT_WITHIN_MS = 30_000;

/** The fields of a run that say that something is held or still to do. An ended run has none of them. */
const HELD = [
  'live',
  'ready',
  'worker',
  'wakeAt',
  'permit',
  'permitRequestedAt',
  'awaits',
] as const;
const PENDING = ['uncounted', 'unposted', 'checkpoint'] as const;

/** The runs as the database has them. */
export class StoredRuns {
  readonly #client: MongoClient;
  readonly #db: Db;

  constructor(uri: string) {
    this.#client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 });
    this.#db = this.#client.db();
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  get #runs() {
    return this.#db.collection<RunDocument>('runs');
  }

  /** Returns the workers in the list, the process of each by its pid. */
  async workers(): Promise<WorkerDocument[]> {
    return this.#db.collection<WorkerDocument>('run_workers').find().toArray();
  }

  async heldBy(worker: string): Promise<RunDocument[]> {
    return this.#runs.find({ worker }).toArray();
  }

  async find(ids: readonly number[]): Promise<RunDocument[]> {
    return this.#runs.find({ _id: { $in: [...ids] } }).toArray();
  }

  /** Finds the live runs of the flow: of some the start was never acknowledged. */
  async liveOf(flowId: number): Promise<RunDocument[]> {
    return this.#runs.find({ live: true, flowId }).toArray();
  }

  /** Waits until no run lives. Returns a fault for each run that lives for too long. */
  async faultsOfLife(): Promise<Fault[]> {
    const isQuiet = async () => (await this.#runs.countDocuments({ live: true })) === 0;
    if (await comes(isQuiet, END_WITHIN_MS)) return [];
    const alive = await this.#runs.find({ live: true }, { projection: { journal: 0 } }).toArray();
    return alive.map((run) => `run ${run._id} is live: ${JSON.stringify(run)}`);
  }

  /** Returns the faults when no run lives: places and leases that are held, and rows of workers that are gone. */
  async faultsOfPlaces(pids: readonly number[]): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const field of [...HELD, ...PENDING]) {
      const count = () => this.#runs.countDocuments({ [field]: { $exists: true } });
      if (await comes(async () => (await count()) === 0, SWEPT_WITHIN_MS)) continue;
      faults.push(`${await count()} ended runs have ${field}`);
    }
    const stale = { openSteps: { $exists: true }, status: 'SUCCESS' } as const;
    const count = await this.#runs.countDocuments(stale);
    if (count > 0) faults.push(`${count} runs that have succeeded have open steps`);
    const expected = [...pids].sort().join();
    const listed = async () =>
      (await this.workers())
        .map(({ pid }) => pid)
        .sort()
        .join();
    if (await comes(async () => (await listed()) === expected, SWEPT_WITHIN_MS)) return faults;
    return [...faults, `the workers ${await listed()} are listed in place of ${expected}`];
  }

  /** Returns the faults of the journals: each entry has a number of its own, and no effect was journalled twice. */
  async faultsOfJournals(ids: readonly number[]): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const { _id, journal, entries } of await this.find(ids)) {
      const moved = await this.#db
        .collection<RunStepDocument>('run_steps')
        .find({ _id: runStepIds(_id), n: { $exists: true } })
        .toArray();
      faults.push(...faultsOfJournal(_id, entries, [...moved, ...journal]));
    }
    return faults;
  }
}

function faultsOfJournal(id: number, count: number, all: readonly JournalEntry[]): Fault[] {
  const byNumber = new Map(all.map((entry) => [entry.n, entry])); // an entry that is being moved is in both places
  const faults: Fault[] = [];
  const numbers = [...byNumber.keys()].sort((a, b) => a - b);
  if (numbers.length !== count || numbers.some((n, at) => n !== at + 1)) {
    faults.push(`run ${id} has ${count} entries with the numbers ${numbers}`);
  }
  for (const half of ['effect', 'step'] as const) {
    const keys = [...byNumber.values()].filter((entry) => entry[half]).map(({ key }) => key);
    const twice = keys.filter((key, at) => keys.indexOf(key) !== at);
    if (twice.length) faults.push(`run ${id} has more than one ${half} of ${twice}`);
  }
  return faults;
}
