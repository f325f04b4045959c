import type { Note, Performed, Step } from '@workspace-automation/flow-language';
import type { EffectRecord, JournalEntry } from '../../../models/journal-entry.ts';
import { RunStepModel, runStepIds } from '../../../models/run-step.model.ts';
import { journalBytesOf } from '../run-bytes.ts';
import type { Batch, HeldRun, RunEnd } from './held-run.ts';
import { Diverged, entryBytes, performedFrom, recordOf, StepRecords } from './records.ts';

/** What the run itself keeps; beyond either, its entries are moved. */
const TAIL_ENTRIES = 32;
const TAIL_BYTES = 64 * 1024;
/** Bytes of one write, and of what waits for it. A single entry may be larger. */
const CHUNK_BYTES = 1024 * 1024;
/** Steps of a run that are recorded; a loop may execute a million. */
const MOST_STEPS = 50_000;

/**
 * What a run has done, as the interpreter needs it on a replay and people want to see it. The end of an
 * effect is written before `append` returns, together with the steps recorded since the last write;
 * steps alone wait for the next write, because a replay computes them again.
 */
export class Journal {
  readonly #run: HeldRun;
  /**
   * What an earlier worker wrote and the replay has not come to. Text, because parsed values take up
   * to twenty times as much; the interpreter asks for each once.
   */
  readonly #ahead = new Map<string, EffectRecord>();
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
  #latest = 0;
  #writing: Promise<void> = Promise.resolve();
  #broken: { error: unknown } | null = null;

  private constructor(run: HeldRun) {
    this.#run = run;
    this.#steps = new StepRecords(run.doc.keptBytes);
    this.#written = run.doc.entries;
    this.#bytes = run.doc.journalBytes ?? 0;
    this.#tail = [...run.doc.journal];
  }

  static async open(run: HeldRun): Promise<Journal> {
    const journal = new Journal(run);
    if (run.doc.moved > 0) {
      // Values of steps stay where they are: only what has been recorded is of interest.
      const fields = { key: 1, effect: 1, 'step.path': 1 };
      const moved = RunStepModel.find({ _id: runStepIds(run.doc._id) }, fields)
        .sort({ _id: 1 })
        .lean<JournalEntry>()
        .cursor({ batchSize: 1_000 });
      for await (const entry of moved as AsyncIterable<JournalEntry>) journal.#meet(entry);
    }
    for (const entry of run.doc.journal) journal.#meet(entry);
    return journal;
  }

  #meet({ key, effect, step }: JournalEntry): void {
    if (effect) {
      this.#ahead.set(key, effect);
      this.#weight += weightOf(key, effect);
      this.#latest = Math.max(this.#latest, effect.completedAt);
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
  take(key: string): Performed | undefined {
    const record = this.#ahead.get(key);
    if (!record) return undefined;
    this.#ahead.delete(key);
    this.#weight -= weightOf(key, record);
    return performedFrom(record);
  }

  /** Before anything new is done or said of the run: what was done before must all have been met. */
  assertMet(): void {
    const [key] = this.#ahead.keys();
    if (key !== undefined) throw new Diverged(`a replay did not come by ${key}`);
  }

  /** Whether there are ends of effects that have not been asked for. */
  get ahead(): boolean {
    return this.#ahead.size > 0;
  }

  /** Milliseconds since the epoch of the latest entry: time does not run backwards in a run. */
  get latest(): number {
    return this.#latest;
  }

  /** Notes a step for the next write; one that is already written is left as it is. */
  record(step: Step): void {
    const { key } = step.position;
    if (this.#recorded.has(key) || this.#recorded.size >= MOST_STEPS || this.#steps.full) return;
    this.#markRecorded(key);
    this.#note({ n: 0, key, step: this.#steps.recordOf(step) });
    if (this.#pendingBytes > CHUNK_BYTES) void this.#inTurn(() => this.#flush()).catch(() => null);
  }

  /** Writes the end of an effect. Returns when it is there for ever. */
  async append(key: string, effect: EffectRecord): Promise<void> {
    this.#note({ n: 0, key, effect });
    await this.#inTurn(() => this.#flush());
    this.#latest = Math.max(this.#latest, effect.completedAt);
  }

  end(end: RunEnd): Promise<void> {
    return this.#inTurn(async () => {
      await this.#run.end(end, await this.#lastBatch());
    });
  }

  suspend(until: Date, note?: Note): Promise<void> {
    if (note) this.#note({ n: 0, key: note.key, effect: recordOf(note.performed) });
    return this.#inTurn(async () => {
      await this.#run.suspend(until, await this.#lastBatch());
    });
  }

  #note(entry: JournalEntry): void {
    this.#pending.push(entry);
    this.#pendingBytes += entryBytes(entry);
  }

  /**
   * Writes of parallel branches follow one another, each with what the ones before left. After a
   * failed one there are no more: its entries are not there.
   */
  #inTurn(write: () => Promise<void>): Promise<void> {
    const turn = this.#writing.then(async () => {
      if (this.#broken) throw this.#broken.error;
      try {
        await write();
      } catch (error) {
        this.#broken = { error };
        throw error;
      }
    });
    this.#writing = turn.catch(() => undefined); // whoever asked for the write hears of it
    return turn;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length) await this.#push(this.#takeBatch());
  }

  /** What is left to write with the run's last change; the run does not keep more than its tail. */
  async #lastBatch(): Promise<Batch> {
    for (;;) {
      const batch = this.#takeBatch();
      if (!this.#pending.length && !isLong([...this.#tail, ...batch.entries])) return batch;
      await this.#push(batch);
    }
  }

  async #push(batch: Batch): Promise<void> {
    if (batch.entries.length) await this.#run.push(batch);
    this.#written += batch.entries.length;
    this.#tail.push(...batch.entries);
    if (!isLong(this.#tail)) return;
    await this.#run.move(this.#tail);
    this.#tail.length = 0;
  }

  #takeBatch(): Batch {
    let bytes = 0;
    let count = 0;
    for (const entry of this.#pending) {
      const size = entryBytes(entry);
      if (count > 0 && bytes + size > CHUNK_BYTES) break;
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

const isLong = (entries: readonly JournalEntry[]): boolean =>
  entries.length > TAIL_ENTRIES ||
  entries.reduce((bytes, entry) => bytes + entryBytes(entry), 0) > TAIL_BYTES;
