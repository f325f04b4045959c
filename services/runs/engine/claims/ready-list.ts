import { indexedReadyRuns, type ReadyRun, type ReadyRuns } from './ready-runs.ts';
import { ReadySnapshot } from './ready-snapshot.ts';

/** Milliseconds for which claims go by a snapshot although runs have become ready since. Then one is taken anew. */
export const SNAPSHOT_TTL_MS = 100;
/** Milliseconds for which claims seek in the index after a snapshot was incomplete. Then one is taken anew. */
export const SEEK_TTL_MS = 1_000;

/**
 * What claims go by. The index on `ready` holds only ready runs, in the order of claims. While they are few,
 * one query lists them for the claims that follow. While they are many, each claim seeks the next owner and
 * workspace in the index.
 */
export class ReadyList {
  readonly #now: () => number;
  #snapshot: ReadySnapshot | null = null;
  /** When the snapshot came from the database, by `now`. */
  #takenAt = 0;
  /** Whether runs may have become ready since its query began. */
  #isInvalid = true;
  #isRenewing = false;
  #renewals = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** A run may have become ready. */
  invalidate(): void {
    this.#isInvalid = true;
  }

  /** How often the list has been read. */
  get renewals(): number {
    return this.#renewals;
  }

  /** This run has become ready. Its write began after so many renewals. */
  addRun(run: ReadyRun, renewals: number): void {
    // A query after that may have seen the run, and a claim may have taken it; one under way may see it yet.
    const maySeeRun = this.#isRenewing || renewals !== this.#renewals;
    if (maySeeRun || !this.#snapshot?.isComplete) this.invalidate();
    else this.#snapshot.add(run);
  }

  /** All ready runs, as far as this process can know; null while it does not know them. */
  get known(): readonly ReadyRun[] | null {
    if (this.#isInvalid || this.#isRenewing || !this.#snapshot?.isComplete) return null;
    return this.#snapshot.runs;
  }

  /** Whether `current` knows every run of which there was news. */
  get isCurrent(): boolean {
    return !this.#isInvalid || this.isSeeking;
  }

  /** Whether there are too many ready runs to list them. */
  get isSeeking(): boolean {
    return this.#snapshot?.isComplete === false && this.#age < SEEK_TTL_MS;
  }

  /** The ready runs as they are known, or read now where that is too old. */
  async getRuns(): Promise<ReadyRuns> {
    if (this.isSeeking) return indexedReadyRuns;
    const snapshot = this.#snapshot;
    if (!snapshot?.isComplete) return this.renewRuns();
    const isOutdated = this.#isInvalid && (snapshot.isEmpty || this.#age > SNAPSHOT_TTL_MS);
    return isOutdated ? this.renewRuns() : snapshot;
  }

  /** The ready runs as they are now. */
  async renewRuns(): Promise<ReadyRuns> {
    this.#isInvalid = false;
    this.#isRenewing = true;
    try {
      this.#snapshot = await ReadySnapshot.take();
    } catch (error) {
      this.#isInvalid = true;
      throw error;
    } finally {
      this.#isRenewing = false;
      this.#renewals++;
    }
    this.#takenAt = this.#now();
    return this.#snapshot.isComplete ? this.#snapshot : indexedReadyRuns;
  }

  get #age(): number {
    return this.#now() - this.#takenAt;
  }
}
