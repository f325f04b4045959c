import type { Performed } from '@workspace-automation/flow-language';
import type { EffectRecord, JournalEntry } from '../../../../../models/journal-entry.ts';
import type { RunDocument } from '../../../../../models/run.model.ts';
import { performedOf, ReplayDivergedError } from './effect-records.ts';
import { UnmetEntries } from './unmet-entries.ts';

/** Tells which keys are meant, for example those of one branch. Null means all keys. */
type KeyFilter = ((key: string) => boolean) | null;

/** The approximate bytes of memory of a recorded step, beside its key. */
const STEP_WEIGHT = 80;

/** The entries of earlier workers since the checkpoint: ends of effects that the replay takes, and the recorded steps. */
export class Replay {
  readonly #doc: RunDocument;
  /** The ends of effects that the replay has not reached. */
  readonly #unmet = new UnmetEntries();
  /** The keys of the steps that were recorded since the checkpoint. */
  readonly #recorded = new Set<string>();
  /** The numbers of the reused steps that the replay has not reached, by key. */
  readonly #unmetSteps = new Map<string, number>();
  /** The numbers of the reused entries that were dropped since the last entry. */
  #dropped: number[] = [];
  #stepWeight = 0;

  constructor(doc: RunDocument) {
    this.#doc = doc;
  }

  /** Adds an entry; one that `isExpected`, the replay has to reach. Returns its effect, if it has one. */
  load({ key, step, effect: stored, n }: JournalEntry, isExpected: boolean): EffectRecord | null {
    const isReused = n <= (this.#doc.reused ?? 0);
    const effect = stored && (isReused ? this.#atStart(stored) : stored);
    if (effect) this.#unmet.add(key, { effect, n, isExpected, isReused });
    if (step && isExpected) {
      this.#recorded.add(key);
      if (isReused) this.#unmetSteps.set(key, n);
      else this.#unmetSteps.delete(key);
      this.#stepWeight += STEP_WEIGHT + key.length;
    }
    return effect ?? null;
  }

  /** Makes a reused effect end at the start of this run, so that no deadline around the effect has passed meanwhile. */
  #atStart(effect: EffectRecord): EffectRecord {
    const { startedAt, createdAt } = this.#doc;
    return { ...effect, completedAt: (startedAt ?? createdAt).getTime() };
  }

  /** The approximate bytes of memory. */
  get weight(): number {
    return this.#stepWeight + this.#unmet.weight;
  }

  /** Returns the end of an effect that an earlier worker wrote, once; undefined for any other effect. */
  takeEffect(key: string): Performed | undefined {
    const record = this.takeRecord(key);
    return record && performedOf(record);
  }

  /**
   * Returns what `takeEffect` returns, as its record. An effect that was not reused drops the reused entries that `owns`
   * names, because the run does other things than the run that it retries.
   */
  takeRecord(key: string, owns: KeyFilter = null): EffectRecord | undefined {
    const entry = this.#unmet.take(key);
    if (owns && !entry?.isReused) {
      const dropped = this.#dropReused(owns);
      if (!entry) this.#noteDropped(dropped); // the journal has the drops before an own entry
    }
    return entry?.effect;
  }

  /** Returns a decision that an earlier worker wrote, and drops the earlier entries that `droppedBy` names. */
  takeDecision(
    key: string,
    droppedBy: (decision: Performed) => (key: string) => boolean,
  ): Performed | undefined {
    const effect = this.#unmet.takeDecision(key, (decision) => droppedBy(performedOf(decision)));
    return effect && performedOf(effect);
  }

  /** Takes a step that the replay has reached. Returns whether an earlier worker has recorded the step. */
  takeStep(key: string): boolean {
    this.#unmetSteps.delete(key);
    return this.#recorded.has(key);
  }

  /** Drops the ends of effects that `isDropped` names. */
  drop(isDropped: (key: string) => boolean): void {
    this.#unmet.drop(isDropped);
  }

  /**
   * Throws `ReplayDivergedError` before a new effect or outcome, unless the replay has reached every expected effect; with
   * a filter, every such effect. Entries of the run that this run retries are dropped: this run does other things.
   */
  assertReached(isOf: KeyFilter = null): void {
    this.#noteDropped(this.#dropReused(isOf));
    const key = this.#unmet.nextExpected(isOf);
    if (key !== undefined) throw new ReplayDivergedError(`a replay did not come by ${key}`);
  }

  /** Whether the replay has not reached every expected effect; with a filter, every such effect. */
  isUnderWay(isOf: KeyFilter = null): boolean {
    return this.#unmet.nextExpected(isOf) !== undefined;
  }

  /** Returns the numbers that the next entry names as dropped, once: a retry of this run does not reuse these entries. */
  takeDropped(): readonly number[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }

  /** Drops the reused entries that this run does not come by; their steps are recorded anew. Returns their numbers. */
  #dropReused(isOf: KeyFilter): number[] {
    const dropped = this.#unmet.dropReused(isOf);
    for (const [key, n] of this.#unmetSteps) {
      if (isOf && !isOf(key)) continue;
      this.#unmetSteps.delete(key);
      this.#recorded.delete(key);
      dropped.push(n);
    }
    return dropped;
  }

  #noteDropped(numbers: readonly number[]): void {
    if (numbers.length) this.#dropped = [...this.#dropped, ...numbers];
  }
}
