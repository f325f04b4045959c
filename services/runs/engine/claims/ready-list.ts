import type { ShareOwner } from '../../../../support/fair-shares/share.ts';
import { indexedReadyRuns, type ReadyRun, type ReadyRuns } from './ready-runs.ts';
import { ReadySnapshot } from './ready-snapshot.ts';

/**
 * Milliseconds for which claims use a snapshot although further runs have become ready. Then a new snapshot is
 * taken.
 */
export const SNAPSHOT_TTL_MS = 100;
/** Milliseconds for which claims seek in the index after an incomplete snapshot. Then a new snapshot is taken. */
export const SEEK_TTL_MS = 1_000;

/**
 * The ready runs, for claims to choose from. While ready runs are few, one query lists them for the claims that
 * follow. While they are many, each claim seeks the next owner and workspace in the index on `ready`.
 */
export class ReadyList {
  readonly #now: () => number;
  readonly #onRead: (runs: readonly ReadyRun[]) => void;
  #snapshot: ReadySnapshot | null = null;
  /** The time of the snapshot, by `now`. */
  #takenAt = 0;
  /** Whether runs may have become ready since the query of the snapshot began. */
  #isInvalid = true;
  #isRenewing = false;
  #renewals = 0;

  /** `now` is a monotonic clock in milliseconds. `onRead` gets the runs of each read of the list. */
  constructor(now: () => number, onRead: (runs: readonly ReadyRun[]) => void) {
    this.#now = now;
    this.#onRead = onRead;
  }

  /** Notes that an unknown run may have become ready. */
  invalidate(): void {
    this.#isInvalid = true;
  }

  /** The number of times that the list has been read. */
  get renewals(): number {
    return this.#renewals;
  }

  /** Adds a run that has become ready. `renewals` counts the reads of the list before the run's write. */
  addRun(run: ReadyRun, renewals: number): void {
    // A later query may have read the run, and a claim may have taken the run. A query under way may still read
    // the run.
    const maySeeRun = this.#isRenewing || renewals !== this.#renewals;
    if (maySeeRun || !this.#snapshot?.isComplete) this.invalidate();
    else this.#snapshot.add(run);
  }

  /** All ready runs, as far as this process can know them; null while the list is outdated or incomplete. */
  get known(): readonly ReadyRun[] | null {
    if (this.#isInvalid || this.#isRenewing || !this.#snapshot?.isComplete) return null;
    return this.#snapshot.runs;
  }

  /** The runs of a workspace in the last snapshot, which may be incomplete. */
  listedRunsOf(owner: ShareOwner, workspaceId: number): readonly ReadyRun[] {
    return this.#snapshot?.runsOf(owner, workspaceId) ?? [];
  }

  /** Whether claims know every run that was announced as ready. */
  get isCurrent(): boolean {
    return !this.#isInvalid || this.isSeeking;
  }

  /** Whether ready runs are too many for a snapshot, so that each claim seeks in the index. */
  get isSeeking(): boolean {
    return this.#snapshot?.isComplete === false && this.#age < SEEK_TTL_MS;
  }

  /** Returns the known ready runs. Reads the list first where the list is outdated. */
  async getRuns(): Promise<ReadyRuns> {
    if (this.isSeeking) return indexedReadyRuns;
    const snapshot = this.#snapshot;
    if (!snapshot?.isComplete) return this.renewRuns();
    const isOutdated = this.#isInvalid && (snapshot.isEmpty || this.#age > SNAPSHOT_TTL_MS);
    return isOutdated ? this.renewRuns() : snapshot;
  }

  /** Reads the ready runs from the database. */
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
    this.#onRead(this.#snapshot.runs);
    return this.#snapshot.isComplete ? this.#snapshot : indexedReadyRuns;
  }

  get #age(): number {
    return this.#now() - this.#takenAt;
  }
}
