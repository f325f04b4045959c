import type { EffectRecord } from '../../../../../models/journal-entry.ts';

export interface UnmetEntry {
  effect: EffectRecord;
  n: number;
  /** False for an entry that a task under way may ask for and need not. */
  isExpected: boolean;
  /** Whether the entry was copied from the run that this run retries. */
  isReused: boolean;
}

/**
 * The ends of effects that earlier workers wrote and that the replay has not reached. They stay JSON text, because
 * parsed values take up to twenty times as much memory.
 */
export class UnmetEntries {
  readonly #entries = new Map<string, UnmetEntry>();
  #expected = 0;
  #reused = 0;
  #weight = 0;

  /** Adds an entry, in place of an earlier one with the key. */
  add(key: string, entry: UnmetEntry): void {
    this.#remove(key);
    this.#entries.set(key, entry);
    if (entry.isExpected) this.#expected += 1;
    if (entry.isReused) this.#reused += 1;
    this.#weight += weightOf(key, entry.effect);
  }

  /** The approximate bytes of memory. */
  get weight(): number {
    return this.#weight;
  }

  /** Returns and removes an entry. */
  take(key: string): UnmetEntry | undefined {
    return this.#remove(key);
  }

  /** Removes the entries that were copied from the retried run; with a filter, such entries. Returns their numbers. */
  dropReused(isOf: ((key: string) => boolean) | null): number[] {
    const dropped: number[] = [];
    if (this.#reused === 0) return dropped;
    for (const [key, { isReused, n }] of this.#entries) {
      if (!isReused || isOf?.(key) === false) continue;
      this.#remove(key);
      dropped.push(n);
    }
    return dropped;
  }

  /** Returns and removes an entry, and removes the earlier entries that `droppedBy` names. */
  takeDecision(
    key: string,
    droppedBy: (decision: EffectRecord) => (key: string) => boolean,
  ): EffectRecord | undefined {
    const decision = this.#remove(key);
    if (!decision) return undefined;
    const isDropped = droppedBy(decision.effect);
    for (const [other, { n }] of this.#entries) {
      if (n < decision.n && isDropped(other)) this.#remove(other);
    }
    return decision.effect;
  }

  drop(isDropped: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isDropped(key)) this.#remove(key);
  }

  /** The key of an entry that the replay has to reach; with a filter, of such an entry. */
  nextExpected(isOf: ((key: string) => boolean) | null = null): string | undefined {
    if (this.#expected === 0) return undefined;
    for (const [key, { isExpected }] of this.#entries) {
      if (isExpected && (isOf?.(key) ?? true)) return key;
    }
    return undefined;
  }

  #remove(key: string): UnmetEntry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (entry.isExpected) this.#expected -= 1;
    if (entry.isReused) this.#reused -= 1;
    this.#weight -= weightOf(key, entry.effect);
    return entry;
  }
}

/** The approximate bytes of memory of an entry in a map. */
const weightOf = (key: string, effect: EffectRecord): number =>
  200 + key.length + 2 * (effect.json?.length ?? 0);
