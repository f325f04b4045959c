import type { RunDocument } from '../../../../models/run.model.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';
import type { MemoryLease } from '../admission/memory-budget.ts';
import { Reservation } from '../admission/reservation.ts';
import { shareOfRun } from '../admission/run-share.ts';
import type { SlotLease } from '../admission/slot-lease.ts';
import { LeasedRun, LeaseLostError } from '../lease/leased-run.ts';

/**
 * Why a run is interrupted: somebody cancelled it; its time is over; this worker no longer counts and
 * must not write; the process stops.
 */
export type Interruption = 'cancelled' | 'overdue' | 'lost' | 'stopping';

/** Thrown where a run would begin something while its process wants to stop. */
export class ProcessStoppingError extends Error {
  override readonly name = 'Leaving';
}

/** Thrown where a run holds more memory than there is for it now. */
export class MemoryExceededError extends Error {
  override readonly name = 'NoRoom';
}

/** A run that is worked on in this process. */
export class Job {
  readonly run: LeasedRun;
  /** On whose account the run goes. */
  readonly share: Share;
  readonly slot: SlotLease;
  readonly memory: MemoryLease;
  readonly #reservation: Reservation;
  readonly #interrupted = new AbortController();
  readonly #leaseLost = new AbortController();
  readonly #holdsLease: () => boolean;
  #isDraining = false;

  /** `counts` says whether this worker may still think that the run is its own. */
  constructor(
    doc: RunDocument,
    worker: string,
    counts: () => boolean,
    reservation = new Reservation(shareOfRun(doc)),
  ) {
    this.run = new LeasedRun(doc, worker, this.#leaseLost.signal);
    this.share = shareOfRun(doc);
    this.#reservation = reservation;
    this.memory = reservation.memory;
    this.memory.setBytes(this.#expectedBytes);
    this.slot = reservation.slot;
    this.slot.setRunSignal(this.signal);
    this.#holdsLease = counts;
  }

  get startedAt(): Date {
    const { startedAt, createdAt } = this.run.doc;
    return startedAt ?? createdAt;
  }

  /** When the run times out. */
  get deadline(): Date {
    const { deadlineAt, timeoutMs } = this.run.doc;
    return deadlineAt ?? new Date(this.startedAt.getTime() + timeoutMs);
  }

  /** Aborted when the run has to stop now; its reason is an `Interruption`. */
  get signal(): AbortSignal {
    return this.#interrupted.signal;
  }

  get interruption(): Interruption | null {
    return this.signal.aborted ? (this.signal.reason as Interruption) : null;
  }

  interrupt(why: Interruption): void {
    if (why === 'lost') this.#leaseLost.abort();
    this.#interrupted.abort(why); // the first reason stays
  }

  /** Lets what is under way end, and begins nothing more. */
  drain(): void {
    this.#isDraining = true;
  }

  /** What it held before is what it will hold again. */
  get #expectedBytes(): number {
    return this.run.doc.weight ?? 0;
  }

  /** Throws `NoRoom` when others need the memory; a run that is replayed will need what it had. */
  holdMemory(bytes: number, replaying: boolean): void {
    this.run.weight = Math.max(this.run.weight, bytes);
    this.memory.setBytes(replaying ? Math.max(bytes, this.#expectedBytes) : bytes);
    this.assertMemory();
  }

  /** A run that finds no room takes none from the others while it leaves. */
  assertMemory(): void {
    if (!this.memory.exceedsBudget) return;
    this.memory.release();
    throw new MemoryExceededError('others need the memory');
  }

  /** The run is no longer here. */
  releaseRoom(): void {
    this.#reservation.release();
  }

  /** Before anything with an effect on the outside: a process that was stopped for a while finds out here. */
  assertMayBeginEffect(): void {
    if (this.#isDraining) throw new ProcessStoppingError('the process stops');
    if (!this.#holdsLease()) throw new LeaseLostError('this worker was away for too long');
  }
}
