import type { Note, Performed, Step } from '@workspace-automation/flow-language';
import type { EffectRecord, JournalEntry } from '../../../../models/journal-entry.ts';
import { RunStepModel, runStepIds } from '../../../../models/run-step.model.ts';
import { journalBytesOf } from '../../quotas/run-bytes.ts';
import { type Batch, type LeasedRun, LeaseLostError, type RunEnd } from '../lease/leased-run.ts';
import { WriteChain } from '../writes/write-chain.ts';
import { performedOf, ReplayDivergedError, recordOf } from './effect-records.ts';
import { entryBytes, StepRecords } from './step-records.ts';

/** What the run itself keeps; beyond either, its entries are moved. */
const MAX_TAIL_ENTRIES = 32;
const MAX_TAIL_BYTES = 64 * 1024;
/** Bytes of one write, and of the entries that wait for a write. A single entry may be larger. */
const MAX_BATCH_BYTES = 1024 * 1024;
/**
 * Milliseconds that the end of an effect waits to be written with the run's end. Beyond them it is
 * written alone: a run that computes on does not keep it unwritten.
 */
const FLUSH_DELAY_MS = 20;
/** Steps of a run that are recorded; a loop may execute a million. */
const MAX_STEPS = 50_000;

/**
 * What a run has done, as the interpreter needs it on a replay and people want to see it. The end of an
 * effect is written before the next effect begins, with the run's end, or soon; steps alone wait for
 * the next write, because a replay computes them again. Entries are written in the order in which they
 * came, so that nothing is in the database without what it followed from.
 */
export class Journal {
  readonly #run: LeasedRun;
  /**
   * What an earlier worker wrote and the replay has not come to. Text, because parsed values take up
   * to twenty times as much; the interpreter asks for each once.
   */
  readonly #unmetEffects = new Map<string, EffectRecord>();
  readonly #recorded = new Set<string>();
  readonly #steps: StepRecords;
  readonly #tail: JournalEntry[];
  #pending: JournalEntry[] = [];
  #pendingBytes = 0;
  #weight = 0;
  /** The number of the last entry written. */
  #written: number;
  /** What all entries take in the database. */
  #bytes: number;
  #latestTime = 0;
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

  /** Reads what earlier workers wrote. Before it nothing is asked for or noted. */
  async load(): Promise<void> {
    const { doc } = this.#run;
    if (doc.moved > 0) {
      // Values of steps stay where they are: only what has been recorded is of interest.
      const fields = { key: 1, effect: 1, 'step.path': 1 };
      const moved = RunStepModel.find({ _id: runStepIds(doc._id) }, fields)
        .sort({ _id: 1 })
        .lean<JournalEntry>()
        .cursor({ batchSize: 1_000 });
      for await (const entry of moved as AsyncIterable<JournalEntry>) this.#loadEntry(entry);
    }
    for (const entry of doc.journal) this.#loadEntry(entry);
  }

  #loadEntry({ key, effect, step }: JournalEntry): void {
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

  /** About how many bytes of memory it takes. */
  get weight(): number {
    return this.#weight + 2 * this.#pendingBytes;
  }

  /** The end of an effect that was carried out before, to be asked for once. */
  takeEffect(key: string): Performed | undefined {
    const recordStep = this.#unmetEffects.get(key);
    if (!recordStep) return undefined;
    this.#unmetEffects.delete(key);
    this.#weight -= weightOf(key, recordStep);
    return performedOf(recordStep);
  }

  /** Before anything new is done or said of the run: what was done before must all have been met. */
  assertReplayed(): void {
    const [key] = this.#unmetEffects.keys();
    if (key !== undefined) throw new ReplayDivergedError(`a replay did not come by ${key}`);
  }

  /** Whether there are ends of effects that have not been asked for. */
  get isReplaying(): boolean {
    return this.#unmetEffects.size > 0;
  }

  /** Milliseconds since the epoch of the latest entry: time does not run backwards in a run. */
  get latestTime(): number {
    return this.#latestTime;
  }

  /** Notes a step for the next write; one that is already written is left as it is. */
  record(step: Step): void {
    const { key } = step.position;
    if (this.#recorded.has(key) || this.#recorded.size >= MAX_STEPS || this.#steps.isFull) return;
    this.#markRecorded(key);
    this.#enqueueEntry({ n: 0, key, step: this.#steps.recordOf(step) });
    if (this.#pendingBytes > MAX_BATCH_BYTES) this.#startFlush();
  }

  /**
   * Notes the end of an effect, to be written before the next effect begins. Throws the error of an earlier
   * write that failed.
   */
  appendEffect(key: string, effect: EffectRecord): void {
    if (this.#isClosed) return;
    this.#writes.assertUnbroken();
    this.#enqueueEntry({ n: 0, key, effect });
    this.#latestTime = Math.max(this.#latestTime, effect.completedAt);
    if (this.#pendingBytes > MAX_BATCH_BYTES) this.#startFlush();
    else this.#flushTimer ??= setTimeout(() => this.#startFlush(), FLUSH_DELAY_MS);
  }

  /** Resolves when the ends of all effects noted so far are durable. */
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

  /** Lets the run wait until then, or ends it where somebody wants it cancelled. Returns whether it waits. */
  suspend(until: Date, note?: Note): Promise<boolean> {
    if (note) this.#enqueueEntry({ n: 0, key: note.key, effect: recordOf(note.performed) });
    return this.#writes.add(async () => {
      const batch = await this.#takeLastBatch();
      try {
        await this.#run.suspend(until, batch);
        return true;
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error;
        await this.#run.endCancelled(batch); // or overtaken indeed
        return false;
      }
    });
  }

  /** Gives the run away once the ends of all effects are written. */
  flushAndGiveUp<T>(giveAway: () => Promise<T>): Promise<T> {
    return this.#writes.add(async () => {
      await this.#flushEffects();
      return giveAway();
    });
  }

  /**
   * The run has left: the ends of effects that come later are dropped, and no write begins by a timer. A
   * write under way may still be carried out; the fence refuses it once another worker has the run.
   */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#flushTimer);
  }

  #enqueueEntry(entry: JournalEntry): void {
    this.#pending.push(entry);
    this.#pendingBytes += entryBytes(entry);
  }

  /** Writes the pending entries meanwhile. The next write or append throws its error. */
  #startFlush(): void {
    if (!this.#isClosed) this.flush().catch(() => undefined);
  }

  async #flushEffects(): Promise<void> {
    if (this.#pending.some(({ effect }) => effect)) await this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#pending.length) await this.#writeBatch(this.#takeBatch());
  }

  /** What is left to write with the run's last change; the run does not keep more than its tail. */
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
    return { entries, from, keptBytes: this.#steps.bytes, journalBytes: this.#bytes };
  }
}

/** Of a key in a map, and of what it leads to. */
const weightOf = (key: string, effect?: EffectRecord): number =>
  80 + key.length + (effect ? 120 + 2 * (effect.json?.length ?? 0) : 0);

const exceedsTail = (entries: readonly JournalEntry[]): boolean =>
  entries.length > MAX_TAIL_ENTRIES ||
  entries.reduce((bytes, entry) => bytes + entryBytes(entry), 0) > MAX_TAIL_BYTES;
