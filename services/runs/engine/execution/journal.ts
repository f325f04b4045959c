import type { Note, Performed, Step } from '@workspace-automation/flow-language';
import type { EffectRecord, JournalEntry, SentSecrets } from '../../../../models/journal-entry.ts';
import { RunStepModel, runStepIds } from '../../../../models/run-step.model.ts';
import { journalBytesOf } from '../../quotas/run-bytes.ts';
import { type Batch, type LeasedRun, LeaseLostError, type RunEnd } from '../lease/leased-run.ts';
import { WriteChain } from '../writes/write-chain.ts';
import { EarlierSecrets } from './earlier-secrets.ts';
import { performedOf, ReplayDivergedError, recordOf } from './effect-records.ts';
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
/** The most recorded steps of a run; further steps are not recorded. A loop may execute a million steps. */
const MAX_STEPS = 50_000;

/**
 * The journal of a run: the ends of its effects, which a replay needs, and its steps, which the API shows.
 * Entries are written in their order, so that no entry is durable before an earlier entry.
 *
 * The end of an effect is written before the next effect begins, with the run's end, or after
 * `FLUSH_DELAY_MS`. Steps wait for the next write, because a replay computes them again.
 */
export class Journal {
  readonly #run: LeasedRun;
  /**
   * The ends of effects that earlier workers wrote and that the replay has not reached. They stay JSON text,
   * because parsed values take up to twenty times as much memory.
   */
  readonly #unmetEffects = new Map<string, EffectRecord>();
  readonly #recorded = new Set<string>();
  /** The secrets that earlier workers sent, which no later answer may show. */
  readonly earlierSecrets = new EarlierSecrets();
  /** The requests and responses of calls whose steps are not recorded yet. */
  readonly exchanges = new StepExchanges();
  readonly #steps: StepRecords;
  /** The entries in the run's document. */
  readonly #tail: JournalEntry[];
  #pending: JournalEntry[] = [];
  #pendingBytes = 0;
  #weight = 0;
  /** The number of the last written entry. */
  #written: number;
  /** Bytes of all entries in the database. */
  #bytes: number;
  #latestTime = 0;
  /** The steps of this execution that are not recorded. A replay counts them again. */
  #omittedSteps = 0;
  readonly #writes = new WriteChain();
  #flushTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(run: LeasedRun) {
    this.#run = run;
    this.#steps = new StepRecords(run.doc.keptBytes);
    this.#written = run.doc.entries;
    this.#bytes = run.doc.journalBytes ?? 0;
    this.#tail = [...run.doc.journal];
  }

  /** Reads the entries of earlier workers. Must end before any other call. */
  async load(): Promise<void> {
    const { doc } = this.#run;
    if (doc.moved > 0) {
      // Values of steps are not read: only the keys of recorded steps are needed.
      const fields = { key: 1, effect: 1, 'step.path': 1, sentSecrets: 1 };
      const moved = RunStepModel.find({ _id: runStepIds(doc._id) }, fields)
        .sort({ _id: 1 })
        .lean<JournalEntry>()
        .cursor({ batchSize: 1_000 });
      for await (const entry of moved as AsyncIterable<JournalEntry>) this.#loadEntry(entry);
    }
    for (const entry of doc.journal) this.#loadEntry(entry);
  }

  #loadEntry(entry: JournalEntry): void {
    const { key, effect, step } = entry;
    this.earlierSecrets.load(entry);
    this.exchanges.load(entry);
    if (effect) {
      this.#unmetEffects.set(key, effect);
      this.#weight += weightOf(key, effect);
      this.#latestTime = Math.max(this.#latestTime, effect.completedAt);
    }
    if (step) this.#markRecorded(key);
  }

  #markRecorded(key: string): void {
    this.#recorded.add(key);
    this.#weight += weightOf(key);
  }

  /** The approximate bytes of memory that the journal takes. */
  get weight(): number {
    return this.#weight + 2 * this.#pendingBytes + this.earlierSecrets.weight;
  }

  /** Returns the end of an effect that an earlier worker wrote, once; undefined for any other effect. */
  takeEffect(key: string): Performed | undefined {
    const effect = this.#unmetEffects.get(key);
    if (!effect) return undefined;
    this.#unmetEffects.delete(key);
    this.#weight -= weightOf(key, effect);
    return performedOf(effect);
  }

  /**
   * Throws `ReplayDivergedError` before a new effect or outcome, unless the replay has reached every loaded
   * effect.
   */
  assertReplayed(): void {
    const [key] = this.#unmetEffects.keys();
    if (key !== undefined) throw new ReplayDivergedError(`a replay did not come by ${key}`);
  }

  /** Whether the replay has not reached every loaded effect. */
  get isReplaying(): boolean {
    return this.#unmetEffects.size > 0;
  }

  /** The time of the latest effect in milliseconds since the epoch: time does not run backwards in a run. */
  get latestTime(): number {
    return this.#latestTime;
  }

  /** Notes a step for the next write. A step that is recorded already is left unchanged. */
  record(step: Step): void {
    const { key } = step.position;
    const exchange = this.exchanges.take(key);
    if (this.#recorded.has(key)) return;
    if (this.#recorded.size >= MAX_STEPS || this.#steps.isFull) {
      this.#omittedSteps++;
      return;
    }
    this.#markRecorded(key);
    this.#enqueueEntry({ n: 0, key, step: this.#steps.recordOf(step, exchange) });
    if (this.#pendingBytes > MAX_BATCH_BYTES) this.#startFlush();
  }

  /** Notes the end of an effect for a write before the next effect. Throws the error of a failed earlier write. */
  appendEffect(key: string, effect: EffectRecord): void {
    if (this.#isClosed) return;
    this.#writes.assertUnbroken();
    this.#enqueueEntry({ n: 0, key, effect });
    this.#latestTime = Math.max(this.#latestTime, effect.completedAt);
    if (this.#pendingBytes > MAX_BATCH_BYTES) this.#startFlush();
    else this.#flushTimer ??= setTimeout(() => this.#startFlush(), FLUSH_DELAY_MS);
  }

  /** Notes secrets for a write before they are sent. Throws once the journal is closed: nothing may be sent then. */
  appendSecrets(key: string, sentSecrets: SentSecrets): void {
    if (this.#isClosed) throw new LeaseLostError('the execution of the run has ended');
    this.#writes.assertUnbroken();
    this.#enqueueEntry({ n: 0, key, sentSecrets });
  }

  /** Resolves when the ends of all effects and all secrets noted so far are durable. */
  flushEffects(): Promise<void> {
    return this.#writes.add(() => this.#flushEffects());
  }

  /** Resolves when all entries noted so far are durable. */
  flush(): Promise<void> {
    return this.#writes.add(() => this.#flush());
  }

  end(end: RunEnd): Promise<void> {
    return this.#writes.add(async () => this.#run.end(end, await this.#takeLastBatch()));
  }

  /** Makes the run wait until a time, or ends it where a cancel was requested. Returns whether the run waits. */
  suspend(until: Date, note?: Note): Promise<boolean> {
    if (note) this.#enqueueEntry({ n: 0, key: note.key, effect: recordOf(note.performed) });
    return this.#writes.add(async () => {
      const batch = await this.#takeLastBatch();
      try {
        await this.#run.suspend(until, batch);
        return true;
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error;
        await this.#run.endCancelled(batch); // throws if the lease was lost
        return false;
      }
    });
  }

  /** Gives the run back by `giveAway`, once the ends of all effects are written. */
  flushAndGiveUp<T>(giveAway: () => Promise<T>): Promise<T> {
    return this.#writes.add(async () => {
      await this.#flushEffects();
      return giveAway();
    });
  }

  /**
   * Closes the journal: later ends of effects are dropped, and no timer starts a write. A write under way may
   * still succeed; the fence refuses it once another worker holds the run.
   */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#flushTimer);
  }

  #enqueueEntry(entry: JournalEntry): void {
    this.#pending.push(entry);
    this.#pendingBytes += entryBytes(entry);
  }

  /** Begins to write the pending entries. Its error is thrown by the next write or append. */
  #startFlush(): void {
    if (!this.#isClosed) this.flush().catch(() => undefined);
  }

  async #flushEffects(): Promise<void> {
    const isNeeded = ({ effect, sentSecrets }: JournalEntry) => effect ?? sentSecrets;
    if (this.#pending.some(isNeeded)) await this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#pending.length) await this.#writeBatch(this.#takeBatch());
  }

  /** Takes the entries of the run's last write. Writes earlier entries first where a batch or the tail is full. */
  async #takeLastBatch(): Promise<Batch> {
    for (;;) {
      const batch = this.#takeBatch();
      if (!this.#pending.length && !exceedsTail([...this.#tail, ...batch.entries])) return batch;
      await this.#writeBatch(batch);
    }
  }

  async #writeBatch(batch: Batch): Promise<void> {
    if (batch.entries.length) await this.#run.appendEntries(batch);
    this.#written += batch.entries.length;
    this.#tail.push(...batch.entries);
    if (!exceedsTail(this.#tail)) return;
    await this.#run.moveEntries(this.#tail);
    this.#tail.length = 0;
  }

  #takeBatch(): Batch {
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
    const taken = this.#pending.splice(0, count);
    this.#pendingBytes -= bytes;
    const from = this.#written;
    const entries = taken.map((entry, at) => ({ ...entry, n: from + 1 + at }));
    this.#bytes += journalBytesOf(entries);
    const omittedSteps = Math.max(this.#omittedSteps, this.#run.doc.omittedSteps ?? 0);
    return {
      entries,
      from,
      keptBytes: this.#steps.bytes,
      journalBytes: this.#bytes,
      ...(omittedSteps > 0 ? { omittedSteps } : {}),
    };
  }
}

/** The approximate bytes of memory of a key in a map and of its effect. */
const weightOf = (key: string, effect?: EffectRecord): number =>
  80 + key.length + (effect ? 120 + 2 * (effect.json?.length ?? 0) : 0);

const exceedsTail = (entries: readonly JournalEntry[]): boolean =>
  entries.length > MAX_TAIL_ENTRIES ||
  entries.reduce((bytes, entry) => bytes + entryBytes(entry), 0) > MAX_TAIL_BYTES;
