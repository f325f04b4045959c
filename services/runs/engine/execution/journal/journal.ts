import type { BegunStep, Checkpoint, Step } from '@workspace-automation/flow-language';
import { readInBatches } from '../../../../../mixins/database/row-cursor.ts';
import type {
  EffectRecord,
  JournalEntry,
  SentSecrets,
  StoredCheckpoint,
} from '../../../../../models/journal-entry.ts';
import { openStepsBytes, type StoredOpenSteps } from '../../../../../models/open-step.ts';
import { RunStepModel, runStepId, runStepIds } from '../../../../../models/run-step.model.ts';
import { journalBytesOf } from '../../../quotas/run-bytes.ts';
import {
  type Batch,
  type LeasedRun,
  LeaseLostError,
  NO_ENTRIES,
  type RunEnd,
} from '../../lease/leased-run.ts';
import type { Awaited } from '../../mailbox/mailbox.ts';
import { isTransientError } from '../../../../../support/transient-errors.ts';
import { WriteChain } from '../../writes/write-chain.ts';
import { RUN_TIMEOUT } from '../run-errors.ts';
import { EarlierSecrets } from './earlier-secrets.ts';
import { rangesOf } from './number-ranges.ts';
import { OpenEntries } from './open-entries.ts';
import { OpenSteps } from './open-steps.ts';
import { Replay } from './replay.ts';
import {
  type CheckpointContent,
  CheckpointPolicy,
  readCheckpoint,
  storedCheckpoint,
  writeCheckpointRow,
} from './run-checkpoints.ts';
import { StepExchanges } from './step-exchanges.ts';
import { entryBytes, StepRecords } from './step-records.ts';

/** Journal entries that the run's document keeps. Beyond this number its entries are moved to rows of their own. */
const MAX_TAIL_ENTRIES = 32;
/** Bytes of the journal entries that the run's document keeps. Beyond this size its entries are moved as well. */
const MAX_TAIL_BYTES = 64 * 1024;
/** Bytes of the entries of one write. More pending bytes start a write at once; a single entry may be larger. */
const MAX_BATCH_BYTES = 1024 * 1024;
/** Milliseconds that an effect's end waits for the write of the run's end. Then the effect's end is written alone. */
const FLUSH_DELAY_MS = 20;
/** Moved entries of one reply of the database. Only their keys and effects are read. */
const LOADED_BATCH = 1_000;
/** The most recorded steps of a run; further steps are not recorded. A loop may execute a million steps. */
const MAX_STEPS = 50_000;

/**
 * The journal of a run: the ends of its effects, which a replay needs, and its steps, which the API shows.
 * Entries are written in their order, so that no entry is durable before an earlier entry.
 *
 * The end of an effect is written before the next effect begins, with the run's end, or after
 * `FLUSH_DELAY_MS`. Steps wait for the next write, because a replay computes them again. A checkpoint is written with
 * the entries before it, and a worker that claims the run reads only the later entries.
 */
export class Journal {
  readonly #run: LeasedRun;
  /** The entries of earlier workers. */
  readonly replay: Replay;
  readonly #open = new OpenEntries();
  /** The number of recorded steps. */
  #stepCount = 0;
  /** The secrets that earlier workers sent, which no later answer may show. */
  readonly earlierSecrets = new EarlierSecrets();
  /** The requests and responses of calls whose steps are not recorded yet. */
  readonly exchanges = new StepExchanges();
  /** The tasks under way, which the writes of the journal show. */
  readonly #openSteps: OpenSteps;
  #timedOutAt: string | null = null;
  /** The secrets that this worker and earlier workers sent, for checkpoints. */
  readonly #sentSecrets = new EarlierSecrets();
  /** The checkpoint from which the interpretation goes on. */
  checkpoint: Checkpoint | null = null;
  /** The latest checkpoint that the run's document names. */
  #stored: StoredCheckpoint | undefined;
  /** A checkpoint that waits for its write. */
  #nextCheckpoint: { stored: StoredCheckpoint; text: string } | null = null;
  readonly #checkpoints: CheckpointPolicy;
  readonly #steps: StepRecords;
  /** The entries in the run's document. */
  readonly #tail: JournalEntry[];
  #pending: JournalEntry[] = [];
  #pendingBytes = 0;
  /** The number of the last entry, written or pending. */
  #last: number;
  /** Bytes of all entries in the database, without the open steps. */
  #bytes: number;
  #latestTime = 0;
  /** The number of the last event of the run, written or pending. QUEUED is 1 and RUNNING is 2. */
  #events: number;
  /** The steps of this execution that are not recorded. A replay counts them again. */
  #omittedSteps = 0;
  readonly #writes = new WriteChain();
  #flushTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #onEntry: (bytes: number) => void;

  /** `onEntry` is called with the approximate bytes of each new entry. */
  constructor(run: LeasedRun, onEntry: (bytes: number) => void = () => undefined) {
    this.#run = run;
    this.replay = new Replay(run.doc);
    this.#onEntry = onEntry;
    this.#steps = new StepRecords(run.doc.keptBytes);
    this.#last = run.doc.entries;
    this.#events = run.doc.events ?? 2;
    this.#stored = run.doc.checkpoint;
    this.#checkpoints = new CheckpointPolicy(run.doc.checkpoint?.length);
    this.#tail = [...run.doc.journal];
    this.#openSteps = new OpenSteps(run.doc.openSteps, this.exchanges, () => this.#showOpenSteps());
    this.#bytes = Math.max((run.doc.journalBytes ?? 0) - this.#openSteps.bytes, 0);
  }

  /** Reads the checkpoint and the entries of earlier workers. Must end before any other call. */
  async load(): Promise<void> {
    const { doc } = this.#run;
    const content = this.#stored && (await readCheckpoint(doc._id, this.#stored));
    const from = this.#stored && content ? this.#restore(this.#stored, content) : 0;
    const open = new Set(content ? this.#stored?.open : []);
    const movedOpen = [...open].filter((n) => n <= doc.moved);
    if (doc.moved > from || movedOpen.length > 0) {
      for await (const entry of this.#readMoved(from, movedOpen)) {
        this.#loadEntry(entry, entry.n > from);
      }
    }
    for (const entry of doc.journal) {
      if (entry.n > from || open.has(entry.n)) this.#loadEntry(entry, entry.n > from);
    }
  }

  /** Takes the content of the checkpoint. Returns the number of the last entry before the checkpoint. */
  #restore({ n, steps }: StoredCheckpoint, content: CheckpointContent): number {
    const { state, secrets, unsealedIds, latestTime, omittedSteps } = content;
    this.checkpoint = state;
    this.#omittedSteps = omittedSteps;
    this.#stepCount = steps;
    this.#latestTime = latestTime;
    for (const each of [this.earlierSecrets, this.#sentSecrets]) each.restore(secrets, unsealedIds);
    return n;
  }

  /** Reads entries of earlier workers that were moved. Values of steps are not read: only their keys are needed. */
  #readMoved(from: number, open: readonly number[]): AsyncIterable<JournalEntry> {
    const { _id, moved } = this.#run.doc;
    const fields = { n: 1, key: 1, effect: 1, 'step.path': 1, sentSecrets: 1 };
    const later = { ...runStepIds(_id), $gt: runStepId(_id, from), $lte: runStepId(_id, moved) };
    const ids = open.map((n) => runStepId(_id, n));
    const filter = ids.length ? { $or: [{ _id: later }, { _id: { $in: ids } }] } : { _id: later };
    const query = RunStepModel.find(filter, fields).sort({ _id: 1 }).lean();
    return readInBatches(query, LOADED_BATCH);
  }

  #loadEntry(entry: JournalEntry, isExpected: boolean): void {
    const { key, step, n } = entry;
    this.exchanges.load(entry);
    if (isExpected) {
      this.earlierSecrets.load(entry);
      this.#sentSecrets.load(entry);
    }
    const effect = this.replay.load(entry, isExpected);
    if (effect) {
      this.#open.add(key, n);
      this.#latestTime = Math.max(this.#latestTime, effect.completedAt);
    }
    if (step && isExpected) this.#stepCount += 1;
  }

  /** The approximate bytes of memory that the journal takes. */
  get weight(): number {
    return this.replay.weight + 2 * this.#pendingBytes + this.earlierSecrets.weight;
  }

  /** Forgets entries that no interpretation from a later checkpoint asks for. */
  consume(key: string): void {
    this.#open.consume(key);
  }

  /** The time of the latest effect in milliseconds since the epoch: time does not run backwards in a run. */
  get latestTime(): number {
    return this.#latestTime;
  }

  /** Notes a task that begins: the next write shows it, or one after a second. */
  begin(step: BegunStep): void {
    this.#openSteps.begin(step);
  }

  /** Notes a step for the next write. A step that is recorded already is left unchanged. */
  record(step: Step): void {
    const { key } = step.position;
    this.#open.consume(key);
    if (isRunTimeout(step)) this.#timedOutAt ??= this.#openSteps.innermostPath;
    this.#openSteps.end(step);
    this.#checkpoints.countStep();
    const exchange = this.exchanges.take(key);
    if (this.replay.takeStep(key)) return;
    if (this.#stepCount >= MAX_STEPS || this.#steps.isFull) {
      this.#omittedSteps++;
      return;
    }
    this.#stepCount += 1;
    this.#enqueueEntry({ n: 0, key, step: this.#steps.recordOf(step, exchange) });
    if (this.#pendingBytes > MAX_BATCH_BYTES) this.#startFlush();
  }

  /** Notes the end of an effect for a write before the next effect. Throws the error of a failed earlier write. */
  appendEffect(key: string, effect: EffectRecord): void {
    if (this.#isClosed) return;
    this.#writes.assertUnbroken();
    this.#open.add(key, this.#enqueueEntry({ n: 0, key, effect }));
    this.#sentSecrets.load({ effect });
    this.#latestTime = Math.max(this.#latestTime, effect.completedAt);
    if (this.#pendingBytes > MAX_BATCH_BYTES) this.#startFlush();
    else this.#flushTimer ??= setTimeout(() => this.#startFlush(), FLUSH_DELAY_MS);
  }

  /** Notes secrets for a write before they are sent. Throws once the journal is closed: nothing may be sent then. */
  appendSecrets(key: string, sentSecrets: SentSecrets): void {
    if (this.#isClosed) throw new LeaseLostError('the execution of the run has ended');
    this.#writes.assertUnbroken();
    this.#enqueueEntry({ n: 0, key, sentSecrets });
    this.#sentSecrets.load({ sentSecrets });
  }

  /** Never wants a checkpoint while the journal has entries that the replay has not reached: they come before it. */
  wantsCheckpoint(when: 'running' | 'suspended'): boolean {
    return !this.replay.isUnderWay() && this.#checkpoints.wants(when);
  }

  /** Notes a checkpoint for the write of the entries that are pending now, or for a later write. */
  appendCheckpoint(state: Checkpoint): void {
    if (this.#isClosed) return;
    const { sealed: secrets, unsealedIds } = this.#sentSecrets;
    const content: CheckpointContent = {
      state,
      secrets,
      unsealedIds: [...unsealedIds],
      latestTime: this.#latestTime,
      omittedSteps: this.#omittedSteps,
    };
    const text = JSON.stringify(content);
    if (!this.#checkpoints.accept(text.length)) return;
    const { fence } = this.#run.doc;
    const open = this.#open.numbersOf(state.openKeys);
    const fields = { n: this.#last, fence, open, steps: this.#stepCount };
    this.#nextCheckpoint = { stored: storedCheckpoint(fields, text, this.#stored), text };
  }

  /** Resolves when the ends of all effects and all secrets noted so far are durable. */
  flushEffects(): Promise<void> {
    return this.#writes.add(() => this.#flushEffects());
  }

  /** Resolves when all entries noted so far are durable. */
  flush(): Promise<void> {
    return this.#writes.add(() => this.#flush());
  }

  /** Resolves as `flush` does, once the database has confirmed that this worker still holds the run. */
  flushAndConfirm(): Promise<void> {
    return this.#writes.add(async () => {
      await this.#flush();
      await this.#run.confirmLease();
    });
  }

  /** Ends the run as its interpretation has ended, which has recorded the end of each step. */
  end(end: RunEnd): Promise<void> {
    return this.#writes.add(async () => {
      const batch = await this.#takeLastBatch();
      await this.#run.end(end, {
        ...batch,
        openSteps: null,
        journalBytes: this.#entryBytesOf(batch),
      });
    });
  }

  /** The batch of a run that ends at its open steps: its interpretation has stopped without an outcome. */
  get endBatch(): Batch & { openSteps: StoredOpenSteps | null } {
    return this.#batchOf(this.#openSteps.atEnd);
  }

  /** The bytes of all entries of the run once a batch of `#takeBatch` is written, without the open steps. */
  #entryBytesOf({ journalBytes }: Batch): number {
    return journalBytes - this.#openSteps.bytes;
  }

  /** Makes a batch without entries that shows the open steps. */
  #batchOf<T extends StoredOpenSteps | null>(openSteps: T): Batch & { openSteps: T } {
    const journalBytes = this.#bytes + (openSteps ? openStepsBytes(openSteps) : 0);
    return { ...NO_ENTRIES, openSteps, journalBytes };
  }

  /** The path of the task at which the deadline of the run has ended the interpretation; empty where it was at none. */
  get timedOutAt(): string {
    return this.#timedOutAt ?? '';
  }

  /**
   * Makes the run wait until a time, or for a notification. Ends the run where a cancel was requested, and makes it
   * ready where a notification has come meanwhile.
   */
  suspend(until: Date, awaited: Awaited | null): Promise<'waiting' | 'ended' | 'ready'> {
    return this.#writes.add(async () => {
      const batch = await this.#takeLastBatch();
      if (await isDone(this.#run.suspend(until, addWait(batch, until, this.#events), awaited)))
        return 'waiting';
      if (await isDone(this.#run.endCancelled(batch))) return 'ended';
      await this.#run.release(batch); // throws if the lease was lost
      return 'ready';
    });
  }

  /**
   * Gives the run back by `giveAway`, once the ends of all effects are written. Ends that an outage has kept from being
   * written are lost, as in a crash: the next worker carries their effects out again.
   */
  async flushAndGiveUp<T>(giveAway: () => Promise<T>): Promise<T> {
    try {
      return await this.#writes.add(async () => {
        await this.#flushEffects();
        return giveAway();
      });
    } catch (error) {
      if (!isTransientError(error)) throw error;
      return giveAway();
    }
  }

  /**
   * Closes the journal: later ends of effects are dropped, and no timer starts a write. A write under way may
   * still succeed; the fence refuses it once another worker holds the run.
   */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#flushTimer);
    this.#openSteps.close();
  }

  /** Numbers an entry and notes it for the next write. Returns its number. */
  #enqueueEntry(given: JournalEntry): number {
    const dropped = this.replay.takeDropped();
    const entry = dropped.length ? { ...given, dropped: rangesOf(dropped) } : given;
    const bytes = entryBytes(entry);
    this.#last += 1;
    if (entry.step) this.#events += 1;
    this.#pending.push({ ...entry, n: this.#last, event: this.#events });
    this.#pendingBytes += bytes;
    this.#checkpoints.countBytes(bytes);
    this.#onEntry(bytes);
    return this.#last;
  }

  /** Begins to write the pending entries. Its error is thrown by the next write or append. */
  #startFlush(): void {
    if (!this.#isClosed) this.flush().catch(() => undefined);
  }

  /** Shows the tasks under way: with the entries that are pending, or in a write of their own. */
  #showOpenSteps(): void {
    const write = async () => {
      await this.#flush();
      const openSteps = this.#isClosed ? undefined : this.#openSteps.takeChanged();
      if (openSteps) await this.#run.showOpenSteps(this.#batchOf(openSteps));
    };
    if (!this.#isClosed) this.#writes.add(write).catch(() => undefined); // the next write throws the error
  }

  async #flushEffects(): Promise<void> {
    const isNeeded = ({ effect, sentSecrets }: JournalEntry) => effect ?? sentSecrets;
    if (this.#pending.some(isNeeded)) await this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#pending.length) await this.#writeBatch(await this.#takeBatch());
  }

  /** Takes the entries of the run's last write. Writes earlier entries first where a batch or the tail is full. */
  async #takeLastBatch(): Promise<Batch> {
    for (;;) {
      const batch = await this.#takeBatch();
      if (!this.#pending.length && !exceedsTail([...this.#tail, ...batch.entries])) return batch;
      await this.#writeBatch(batch);
    }
  }

  async #writeBatch(batch: Batch): Promise<void> {
    if (batch.entries.length) await this.#run.appendEntries(batch);
    else this.#openSteps.markUnwritten();
    this.#bytes = this.#entryBytesOf(batch);
    this.#tail.push(...batch.entries);
    if (!exceedsTail(this.#tail)) return;
    await this.#run.moveEntries(this.#tail);
    this.#tail.length = 0;
  }

  async #takeBatch(): Promise<Batch> {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    let bytes = 0;
    let count = 0;
    for (const entry of this.#pending) {
      const size = entryBytes(entry);
      if (count > 0 && bytes + size > MAX_BATCH_BYTES) break;
      bytes += size;
      count++;
    }
    const entries = this.#pending.splice(0, count);
    this.#pendingBytes -= bytes;
    const to = entries.at(-1)?.n ?? this.#last;
    const from = to - entries.length;
    const checkpoint = await this.#takeCheckpoint(to);
    const openSteps = this.#openSteps.takeChanged();
    const events = entries.at(-1)?.event;
    const omittedSteps = Math.max(this.#omittedSteps, this.#run.doc.omittedSteps ?? 0);
    return {
      entries,
      from,
      keptBytes: this.#steps.bytes,
      journalBytes: this.#bytes + journalBytesOf(entries) + this.#openSteps.bytes,
      latestTime: this.#latestTime,
      ...(events === undefined ? {} : { events }),
      ...(omittedSteps > 0 ? { omittedSteps } : {}),
      ...(checkpoint ? { checkpoint } : {}),
      ...(openSteps ? { openSteps } : {}),
    };
  }

  /** Takes the checkpoint that waits, once the entries before it are written with it or were written earlier. */
  async #takeCheckpoint(to: number): Promise<StoredCheckpoint | undefined> {
    const next = this.#nextCheckpoint;
    if (!next || next.stored.n > to) return undefined;
    this.#nextCheckpoint = null;
    const { stored, text } = next;
    const { n, fence, slot } = stored;
    if (slot !== undefined) {
      const write = () => writeCheckpointRow(this.#run.doc._id, slot, { n, fence, text });
      await this.#run.writeInTurn(text.length, write);
    }
    this.#stored = stored;
    return stored;
  }
}

/** Adds the entry of a suspension to the last batch. The RUNNING after the suspension is an event as well. */
function addWait(batch: Batch, wakeAt: Date, lastEvent: number): Batch {
  const { entries, from } = batch;
  const event = lastEvent + 1;
  const wait = { n: from + entries.length + 1, key: '', wait: { wakeAt }, event };
  const journalBytes = batch.journalBytes + journalBytesOf([wait]);
  return { ...batch, entries: [...entries, wait], events: event + 1, journalBytes };
}

/** Whether the deadline of the run has ended the step. The error of a child run has another detail. */
const isRunTimeout = ({ error }: Step): boolean =>
  error?.title === RUN_TIMEOUT.title && error.detail === RUN_TIMEOUT.detail;

/** Whether a write was done. A write that was refused, because the lease or its condition is lost, was not. */
const isDone = (write: Promise<void>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof LeaseLostError) return false;
      throw error;
    },
  );

/** Whether entries are too many or too large to stay in the run's document. */
export const exceedsTail = (entries: readonly JournalEntry[]): boolean =>
  entries.length > MAX_TAIL_ENTRIES ||
  entries.reduce((bytes, entry) => bytes + entryBytes(entry), 0) > MAX_TAIL_BYTES;
