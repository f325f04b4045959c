import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { ParentTask, RunDocument } from '../../../../models/run.model.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';
import type { MemoryLease } from '../admission/memory-budget.ts';
import { Reservation } from '../admission/reservation.ts';
import { shareOfRun } from '../admission/run-share.ts';
import type { SlotLease } from '../admission/slot-lease.ts';
import type { ChildRun } from '../children/child-runs.ts';
import { EndedChildren } from '../children/ended-children.ts';
import { LeasedRun, LeaseLostError } from '../lease/leased-run.ts';
import { Mailbox } from '../mailbox/mailbox.ts';
import { Sleepers } from './sleepers.ts';

/**
 * The reason of an interruption. `cancelled`: a cancel was requested. `overdue`: the deadline has passed. `lost`: the
 * worker has lost its lease and must not write. `stopping`: the process stops.
 */
export type Interruption = 'cancelled' | 'overdue' | 'lost' | 'stopping';

/** Thrown when a run is about to begin an effect while its process stops. */
export class ProcessStoppingError extends Error {
  override readonly name = 'ProcessStoppingError';
}

/** Thrown when a run holds more memory than the budget leaves for the run. */
export class MemoryExceededError extends Error {
  override readonly name = 'MemoryExceededError';
}

/** Milliseconds before the deadline of a run from which on another process may end it, by the difference of their clocks. */
const SAFE_MS = 5_000;

/** A run that this process executes. */
export class Job {
  readonly run: LeasedRun;
  /** The owner and workspace that the run counts for. */
  readonly share: Share;
  readonly slot: SlotLease;
  readonly memory: MemoryLease;
  readonly mailbox: Mailbox;
  /** Child runs that have ended in this process, for the tasks that wait for them. */
  readonly endedChildren = new EndedChildren();
  readonly #reservation: Reservation;
  readonly #sleepers = new Sleepers();
  readonly #interrupted = new AbortController();
  readonly #leaseLost = new AbortController();
  readonly #holdsLease: () => boolean;
  #isDraining = false;

  /** `counts` returns whether this worker still holds its lease. */
  constructor(
    doc: RunDocument,
    worker: string,
    counts: () => boolean,
    reservation = new Reservation(shareOfRun(doc)),
  ) {
    this.run = new LeasedRun(doc, worker, this.#leaseLost.signal);
    this.mailbox = new Mailbox(doc);
    this.share = shareOfRun(doc);
    this.#reservation = reservation;
    this.memory = reservation.memory;
    this.memory.setBytes(this.#expectedBytes);
    this.slot = reservation.slot;
    this.slot.setRun(doc._id, this.signal);
    this.#holdsLease = counts;
  }

  get startedAt(): Date {
    const { startedAt, createdAt } = this.run.doc;
    return startedAt ?? createdAt;
  }

  /** The time at which the run times out. */
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

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Ends the sleeps of the run. Its waiting effects then look for their ends again. */
  wake(): void {
    this.#sleepers.wakeAll();
  }

  /** Passes a notification to the run. */
  notify(): void {
    this.mailbox.notify();
    this.wake();
  }

  /** Passes the end of a child run to the task that waits for it. Resolves whether the task has taken it. */
  async passChildEnd(child: ChildRun & { parent: ParentTask }): Promise<boolean> {
    if (this.signal.aborted || !this.#holdsLease()) return false;
    const taken = this.endedChildren.add(child);
    this.wake();
    return taken;
  }

  /** Whether the run is live for a while: this process holds the run and neither ends it nor is about to. */
  get isSafelyHeld(): boolean {
    if (this.signal.aborted || this.#isDraining || this.run.isEnding) return false;
    return this.#holdsLease() && this.deadline.getTime() - databaseClock.now() > SAFE_MS;
  }

  /**
   * Waits until a time, without the run's slot. Resolves earlier when the run is woken, and at once where a notification or
   * the end of a child run has come before.
   */
  async sleep(untilMs: number, signal: AbortSignal): Promise<'due' | 'woken'> {
    if (this.mailbox.isStale || this.endedChildren.takeNews()) return 'woken';
    this.slot.rest();
    return this.#sleepers.sleep(untilMs - databaseClock.now(), signal);
  }

  /** Lets the effects under way end, and begins no other effect. */
  drain(): void {
    this.#isDraining = true;
    this.wake(); // a run that only waits leaves the process
  }

  /** Bytes that the run held before, and will hold again after its replay. */
  get #expectedBytes(): number {
    return this.run.doc.weight ?? 0;
  }

  /** Sets the run's memory, to its expected bytes at least during a replay. Throws `MemoryExceededError`. */
  holdMemory(bytes: number, replaying: boolean): void {
    this.run.weight = Math.max(this.run.weight, bytes);
    this.memory.setBytes(replaying ? Math.max(bytes, this.#expectedBytes) : bytes);
    this.assertMemory();
  }

  /** Throws `MemoryExceededError` when the run has to leave. Its memory is free for others from then on. */
  assertMemory(): void {
    if (!this.memory.exceedsBudget) return;
    this.memory.release();
    throw new MemoryExceededError('others need the memory');
  }

  /** Ends the job of a run that has left the process. */
  close(): void {
    this.endedChildren.giveUp();
    this.#reservation.release();
  }

  /** Throws when no effect may begin: the process stops, or was paused for so long that its lease is stale. */
  assertMayBeginEffect(): void {
    if (this.#isDraining) throw new ProcessStoppingError('the process stops');
    if (!this.#holdsLease()) throw new LeaseLostError('this worker was away for too long');
  }
}
