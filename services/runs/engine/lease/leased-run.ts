import type { UpdateQuery } from 'mongoose';
import { BULK_OPTIONS } from '../../../../mixins/database/bulk-writes.ts';
import { isDuplicateKey } from '../../../../mixins/database/database.ts';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { JournalEntry, StoredCheckpoint } from '../../../../models/journal-entry.ts';
import { openStepsBytes, type StoredOpenSteps } from '../../../../models/open-step.ts';
import {
  ROLLUP_PENDING,
  RUN_EVENTS,
  type RunDocument,
  RunModel,
} from '../../../../models/run.model.ts';
import type { RunStatus } from '../../../../models/run-status.ts';
import { RunStepModel, runStepId } from '../../../../models/run-step.model.ts';
import type { RunError } from '../../contract/resources.ts';
import { type FailureFields, failureEntriesOf } from '../../failure-issue.ts';
import { journalBytesOf, resultBytesOf } from '../../quotas/run-bytes.ts';
import { runEnded, runProgressed } from '../../runs.diagnostics.ts';
import { runOutboxes } from '../../runs.outboxes.ts';
import { shareOfRun } from '../admission/run-share.ts';
import { KnownFamily } from '../children/known-family.ts';
import type { Awaited } from '../mailbox/mailbox.ts';
import { writeInTurn } from '../writes/large-writes.ts';
import { retryWhileDatabaseDown } from '../writes/retry-while-database-down.ts';
import { ABSENT, PRESENT, type RunUpdate, updateRun } from '../writes/run-writes.ts';

/** Thrown where this worker may not go on with a run: a write was refused, or the lease is stale. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Journal entries to write, with the fields of the run that change with them. */
export interface Batch {
  entries: JournalEntry[];
  /** The number of the last entry before `entries`. */
  from: number;
  /** Bytes of all step records of the run. */
  keptBytes: number;
  /** Bytes of all journal entries of the run, and of its open steps. */
  journalBytes: number;
  /** The number of executed steps that are not recorded. */
  omittedSteps?: number;
  /** The number of the last event that the entries give. */
  events?: number;
  /** A checkpoint whose earlier entries are written with this batch, or were written before. */
  checkpoint?: StoredCheckpoint;
  /** The tasks under way, where they are others than in the last write; null removes them. */
  openSteps?: StoredOpenSteps | null;
  /** The time of the latest effect in milliseconds since the epoch. The run does not end before that time. */
  latestTime?: number;
}

/** A batch without entries, with which a write leaves the journal and its sizes unchanged. */
export const NO_ENTRIES: Batch = { entries: [], from: 0, keptBytes: 0, journalBytes: 0 };

export interface RunEnd {
  status: RunStatus;
  /** The output as JSON. */
  output?: string;
  error?: RunError;
}

/**
 * The fields that the end of a run removes. Open steps stay: they are those at which the run ended, unless its
 * interpretation has recorded their ends and removes them.
 */
const ENDED_FIELDS = {
  worker: 1,
  cancelRequestedAt: 1,
  live: 1,
  ready: 1,
  readyAt: 1,
  permit: 1,
  permitRequestedAt: 1,
  wakeAt: 1,
  checkpoint: 1,
  awaits: 1,
  signals: 1,
  consumedSignals: 1,
} as const;

const NOT_CANCELLED = { cancelRequestedAt: ABSENT };

/** The approximate bytes of an update without its values. */
const UPDATE_BYTES = 512;

/** Milliseconds of a run's first backoff; each further backoff at the same journal entry takes twice as long. */
const FIRST_BACKOFF_MS = 500;
/** The most milliseconds of a backoff; further backoffs take as long. */
const MAX_BACKOFF_MS = 60_000;

/**
 * Makes the update that ends a run, for the worker that holds the run and for others. `run` has the fields by which a
 * failure raises an issue; null for the end of a run that is cancelled.
 */
export function endUpdateOf(end: RunEnd, at: Date, run: FailureFields | null) {
  const { status, output = null } = end;
  const error = end.error ? JSON.stringify(end.error) : null;
  const resultBytes = resultBytesOf(output, error);
  const outbox = run ? failureEntriesOf(run, end, at) : [];
  return {
    ...(outbox.length ? { $push: { outbox: { $each: outbox } } } : {}),
    $set: {
      status,
      output,
      error,
      resultBytes,
      completedAt: at,
      [ROLLUP_PENDING.end]: true as const,
    },
    $bit: { eventsPending: { or: RUN_EVENTS.ended } },
    $unset: ENDED_FIELDS,
  };
}

/** Hands over the outbox of an end that is written. */
export const publishOutbox = (_id: number, { $push }: ReturnType<typeof endUpdateOf>): void =>
  runOutboxes.publish(_id, $push?.outbox.$each);

/**
 * A run that this worker holds. Each write names the worker and the fence of its claim, and throws
 * `LeaseLostError` when the worker no longer holds the run. A write is repeated while the database is away.
 */
export class LeasedRun {
  readonly doc: RunDocument;
  /** The approximate peak of the memory that this execution of the run took, in bytes. */
  weight: number;
  /** The run with its end, once the end is written. Its `journal` is still the journal that the claim read. */
  ended: RunDocument | null = null;
  /** What this execution knows of the child runs. */
  readonly family: KnownFamily;
  /** Whether the end of the run is being written, or is written. */
  isEnding = false;
  /** The number of the last journal entry written. */
  #entries: number;
  #marking: Promise<void> | null = null;
  readonly #lease: { _id: number; worker: string; fence: number };
  readonly #leaseLost: AbortSignal;

  constructor(doc: RunDocument, worker: string, lost: AbortSignal) {
    this.doc = doc;
    this.weight = 0;
    this.family = new KnownFamily(doc);
    this.#entries = doc.entries;
    this.#lease = { _id: doc._id, worker, fence: doc.fence };
    this.#leaseLost = lost;
  }

  /** Appends the entries of a batch to the journal. */
  async appendEntries(batch: Batch): Promise<void> {
    const { entries, from } = batch;
    const to = from + entries.length;
    const filter = { ...this.#lease, entries: from };
    const update = addBatch({ $set: { weight: this.weight } }, batch);
    await this.#update({ filter, update, result: { ...this.#lease, entries: to } }, batch);
    this.#entries = to;
    runProgressed.publish({ runId: this.doc._id });
  }

  /**
   * Moves consecutive journal entries, from the first in the run's document on, to rows of their own. A second move has
   * no effect: the ids are the same, and `moved` never falls. Other entries stay in the document.
   */
  async moveEntries(entries: readonly JournalEntry[]): Promise<void> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return;
    const numbers = { $gte: first.n, $lte: last.n };
    const rows = entries.map((entry) => ({ _id: runStepId(this.doc._id, entry.n), ...entry }));
    await this.writeInTurn(this.#bytesOf({ entries }), async () => {
      // The driver inserts the rows: mongoose would make a document of each.
      await RunStepModel.collection
        .insertMany(rows as never, BULK_OPTIONS)
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        });
      await this.#write({ $pull: { journal: { n: numbers } }, $max: { moved: last.n } });
    });
  }

  /** Shows the tasks under way in a write without entries. */
  showOpenSteps(batch: Batch): Promise<void> {
    return this.writeInTurn(this.#bytesOf(batch), () => this.#write(addBatch({}, batch)));
  }

  /** Throws `LeaseLostError` where another worker holds the run. What was read before is then not of this worker alone. */
  confirmLease(): Promise<void> {
    return this.writeInTurn(UPDATE_BYTES, () => this.#write({ $set: { weight: this.weight } }));
  }

  /** Notes that the run has child runs, before the first of them is stored. */
  markParent(): Promise<void> {
    if (this.doc.hasChildren) return Promise.resolve();
    this.#marking ??= this.#markParent().finally(() => {
      this.#marking = null;
    });
    return this.#marking;
  }

  async #markParent(): Promise<void> {
    const marks = { hasChildren: true, familyPending: true } as const;
    await this.writeInTurn(UPDATE_BYTES, () => this.#write({ $set: marks }));
    Object.assign(this.doc, marks);
  }

  async end(end: RunEnd, batch: Batch): Promise<void> {
    const at = this.#endTime(batch);
    const { fence } = this.#lease;
    const result = { fence, live: undefined, status: end.status, completedAt: at };
    const update = endUpdateOf(end, at, this.doc);
    // Without a parent run and with all child runs ended, nobody is to be told.
    const isFamilyOver = this.doc.familyPending && !this.doc.parent && this.family.isOver;
    const $unset = { ...update.$unset, ...(isFamilyOver ? { familyPending: 1 as const } : {}) };
    await this.#writeEnd({ filter: this.#lease, result }, { ...update, $unset }, batch);
    if (isFamilyOver && this.ended) delete this.ended.familyPending;
  }

  /**
   * Makes the run wait until a time or for a notification, without a worker or a permit. Throws `LeaseLostError` as well when a
   * cancel was requested, and when a notification has come that the run does not know.
   */
  async suspend(until: Date, batch: Batch, awaited: Awaited | null = null): Promise<void> {
    const { weight } = this;
    const awaits = awaited?.topics ?? [];
    const update = {
      $set: { status: 'WAITING', suspended: true, wakeAt: until, weight, awaits },
      $unset: { worker: 1, permit: 1 },
    };
    const unnotified = awaited ? { wakeups: awaited.wakeups || ABSENT } : {};
    const filter = { ...this.#lease, ...NOT_CANCELLED, ...unnotified };
    const entries = batch.from + batch.entries.length;
    const { fence } = this.#lease;
    const result = { fence, worker: undefined, status: 'WAITING' as const, entries };
    await this.#update({ filter, update: addBatch(update, batch), result }, batch);
    runProgressed.publish({ runId: this.doc._id });
  }

  /**
   * Gives the run back for its backoff, which ends at `latest` at the latest. Returns when the backoff ends.
   * Throws `LeaseLostError` as well when a cancel was requested.
   */
  async postpone(latest: Date): Promise<Date> {
    const entries = this.#entries;
    const last = this.doc.backoff;
    const times = last?.entries === entries ? last.times + 1 : 1;
    const ms = Math.min(FIRST_BACKOFF_MS * 2 ** (times - 1), MAX_BACKOFF_MS);
    const wakeAt = new Date(Math.min(databaseClock.now() + ms, latest.getTime()));
    const weight = Math.max(this.weight, this.doc.weight ?? 0);
    const update = {
      $set: { wakeAt, weight, backoff: { entries, times } },
      $unset: { worker: 1 as const },
    };
    await this.#giveUpLease(update, NOT_CANCELLED);
    return wakeAt;
  }

  /** Ends the run as cancelled. Throws `LeaseLostError` as well when no cancel was requested. */
  async endCancelled(batch = NO_ENTRIES): Promise<void> {
    const status = 'CANCELLED';
    const at = this.#endTime(batch);
    const filter = { ...this.#lease, cancelRequestedAt: PRESENT };
    const result = { fence: this.#lease.fence, live: undefined, status, completedAt: at } as const;
    await this.#writeEnd({ filter, result }, endUpdateOf({ status }, at, null), batch);
  }

  /** Makes the run ready for the next claim of any worker. */
  release(batch = NO_ENTRIES): Promise<void> {
    const update = {
      $set: { ready: true },
      $currentDate: { readyAt: true as const },
      $unset: { worker: 1 as const },
    };
    return this.#giveUpLease(addBatch(update, batch), {}, batch);
  }

  /** Notes that the reused journal entries are copied, and makes the run ready for the next claim of any worker. */
  completeReuse(reused: number): Promise<void> {
    const update = {
      $set: { ready: true as const, reused },
      $currentDate: { readyAt: true as const },
      $unset: { worker: 1 as const, copiesJournal: 1 as const },
    };
    return this.#giveUpLease(update);
  }

  /**
   * Does a write for the run, of approximately so many bytes, in a turn of the run's owner. `isRetry` tells the write
   * that an earlier try may have taken effect.
   */
  writeInTurn(bytes: number, write: (isRetry: boolean) => Promise<void>): Promise<void> {
    const share = shareOfRun(this.doc);
    return retryWhileDatabaseDown(this.#leaseLost, (isRetry) =>
      writeInTurn(share, bytes, () => write(isRetry)),
    );
  }

  /** The time of an end: a correction of the clock does not make time run backwards in the run. */
  #endTime({ latestTime = 0 }: Batch): Date {
    const startedAt = this.doc.startedAt?.getTime() ?? 0;
    return new Date(Math.max(databaseClock.now(), startedAt, latestTime));
  }

  /** Writes the end of the run, and publishes it. */
  async #writeEnd(
    write: Pick<RunUpdate, 'filter' | 'result'>,
    end: ReturnType<typeof endUpdateOf>,
    batch: Batch,
  ): Promise<void> {
    this.isEnding = true;
    await this.#update({ ...write, update: addBatch(end, batch) }, batch, end.$set.resultBytes);
    this.ended = { ...this.doc, ...end.$set };
    publishOutbox(this.doc._id, end);
    this.#publishEnd(end.$set.status);
  }

  #publishEnd(status: RunStatus): void {
    const { startedAt, createdAt } = this.doc;
    runProgressed.publish({ runId: this.doc._id, hasEnded: true });
    runEnded.publish({ status, ms: databaseClock.now() - (startedAt ?? createdAt).getTime() });
  }

  /** Updates the run, in one command with the updates of other runs. */
  #update(
    { filter, update, result }: Pick<RunUpdate, 'filter' | 'result'> & { update: Update },
    batch: Batch,
    resultBytes = 0,
  ): Promise<void> {
    const bytes = this.#bytesOf(batch) + resultBytes;
    return this.writeInTurn(bytes, async (isRetry) => {
      const write = { filter, update: update as RunUpdate['update'], result, isRetry, bytes };
      if (!(await updateRun(write))) throw new LeaseLostError();
    });
  }

  #giveUpLease(update: Update, only = {}, batch = NO_ENTRIES): Promise<void> {
    return this.writeInTurn(this.#bytesOf(batch), () => this.#write(update, only));
  }

  /** The approximate bytes that the database writes for an update with this batch. */
  #bytesOf({
    entries,
    openSteps,
  }: Pick<Batch, 'openSteps'> & { entries: readonly JournalEntry[] }): number {
    const openBytes = openSteps ? openStepsBytes(openSteps) : 0;
    return UPDATE_BYTES + (this.doc.baseBytes ?? 0) + journalBytesOf(entries) + openBytes;
  }

  async #write(update: Update, only = {}): Promise<void> {
    const { matchedCount } = await RunModel.updateOne({ ...this.#lease, ...only }, update);
    if (!matchedCount) throw new LeaseLostError();
  }
}

type Update = UpdateQuery<RunDocument>;

/** The fields that mark the signals of entries as received, in the write of the entries. */
const consumedSignals = (entries: readonly JournalEntry[]): Record<string, number> =>
  Object.fromEntries(
    entries.flatMap(({ effect }) =>
      effect?.signal ? [[`consumedSignals.${effect.signal.name}`, effect.signal.id]] : [],
    ),
  );

/** Adds a batch to an update. An end removes the checkpoint and the signals. */
function addBatch(update: Update, batch: Batch): Update {
  const { entries, from, keptBytes, journalBytes, omittedSteps } = batch;
  const isEnd = update.$unset && 'live' in update.$unset;
  const checkpoint = batch.checkpoint && !isEnd ? { checkpoint: batch.checkpoint } : {};
  const openSteps = batch.openSteps ? { openSteps: batch.openSteps } : {};
  const hasBytes = entries.length > 0 || batch.openSteps !== undefined;
  const events = batch.events === undefined ? {} : { events: batch.events };
  const omitted = omittedSteps ? { omittedSteps } : {};
  const consumed = isEnd ? {} : consumedSignals(entries);
  const $set = {
    ...update.$set,
    ...checkpoint,
    ...openSteps,
    ...(hasBytes ? { journalBytes } : {}),
    ...events,
    ...omitted,
    ...consumed,
  };
  const $unset = {
    ...update.$unset,
    ...(batch.openSteps === null ? { openSteps: 1 as const } : {}),
  };
  if (!entries.length) return { ...update, $set, $unset };
  return {
    ...update,
    $unset,
    $set: { ...$set, entries: from + entries.length, keptBytes },
    $push: { ...update.$push, journal: { $each: entries } },
  };
}
