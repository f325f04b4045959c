import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { isIdle, noteActivity } from '../../../../support/activity.ts';
import { FairQueue } from '../../../../support/fair-shares/fair-queue.ts';
import { type ShareOwner, shareOfWorkspace } from '../../../../support/fair-shares/share.ts';
import { type DueSchedule, findDue, findNextDueAt } from './due-schedules.ts';

/** Schedules that one process starts at once. The others wait for their turns. */
const CONCURRENCY = 64;
/** Schedules of one owner that wait in a process. Further ones are found again by a later look. */
const MAX_KNOWN_OF_OWNER = 500;
/** Schedules of all owners that wait in a process. Further ones are found again by a later look. */
const MAX_KNOWN = 10_000;
/** Schedules that one query finds beside those that wait already. A full answer is followed by another query. */
const MAX_NEW = 1_000;
/** Milliseconds between two readings of the clock of the database. */
const CLOCK_EVERY_MS = 10_000;
/** Milliseconds to the next due schedule beyond which a look sets no timer: the next look comes before. */
const MAX_LOOK_DELAY_MS = 60_000;
/** The least milliseconds between two looks of an idle process. */
const MIN_LOOK_DELAY_MS = 50;

/** Carries out the due occurrence of a schedule. True when another occurrence is due already. */
export type CarryOut = (id: number) => Promise<boolean>;

const isStopped = () => new Error('the scheduler stops');

/** Finds due schedules, and has them carried out in turns of owners. */
export class Scheduler {
  readonly #carryOut: CarryOut;
  readonly #onError: (error: unknown) => void;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    isDivided: true,
    refusal: isStopped,
  });
  /** The work on schedules that wait or are carried out, by owner and id. */
  readonly #known = new Map<ShareOwner, Map<number, Promise<void>>>();
  readonly #stopping = new AbortController();
  #clockReadAt = Number.NEGATIVE_INFINITY;
  #nextLook: NodeJS.Timeout | undefined;

  constructor(carryOut: CarryOut, onError: (error: unknown) => void) {
    this.#carryOut = carryOut;
    this.#onError = onError;
  }

  /**
   * Looks for due schedules. While none is due, a look is one query of an index. An idle process looks less often: such a look
   * sets a timer to the time at which the next schedule is due.
   */
  async look(): Promise<void> {
    clearTimeout(this.#nextLook);
    await this.#readClock();
    const now = databaseClock.date();
    await this.#startDue(now);
    if (isIdle()) await this.#lookWhenDue(now);
  }

  async #startDue(now: Date): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const limit = MAX_NEW + this.#size;
      const due = await findDue(now, this.#ownersInFull(), limit);
      if (due.length) noteActivity(); // a schedule that is postponed comes at the usual pace
      for (const schedule of due) this.#enqueue(schedule);
      if (due.length < limit || this.#size >= MAX_KNOWN) return;
    }
  }

  async #lookWhenDue(now: Date): Promise<void> {
    const next = await findNextDueAt(now);
    if (!next || this.#stopping.signal.aborted) return;
    const ms = Math.max(next.getTime() - databaseClock.now(), MIN_LOOK_DELAY_MS);
    if (ms > MAX_LOOK_DELAY_MS) return;
    clearTimeout(this.#nextLook); // that of a look at the same time
    this.#nextLook = setTimeout(() => this.look().catch(this.#reportFailure), ms).unref();
  }

  /** Begins no further occurrence. Resolves when those that were begun have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#nextLook);
    await Promise.all([...this.#known.values()].flatMap((ofOwner) => [...ofOwner.values()]));
  }

  /** After a failure, such as one of the database, looks come at the usual pace. */
  #reportFailure = (error: unknown): void => {
    noteActivity();
    this.#onError(error);
  };

  async #readClock(): Promise<void> {
    if (performance.now() - this.#clockReadAt < CLOCK_EVERY_MS) return;
    await databaseClock.read();
    this.#clockReadAt = performance.now();
  }

  #enqueue(schedule: DueSchedule): void {
    const { _id, shareOwner } = schedule;
    const ofOwner = this.#known.get(shareOwner) ?? new Map<number, Promise<void>>();
    if (ofOwner.has(_id) || ofOwner.size >= MAX_KNOWN_OF_OWNER) return;
    if (this.#size >= MAX_KNOWN || this.#stopping.signal.aborted) return;
    this.#known.set(shareOwner, ofOwner.set(_id, this.#work(schedule)));
  }

  async #work(schedule: DueSchedule): Promise<void> {
    const { _id, workspaceId, shareOwner } = schedule;
    const share = shareOfWorkspace(shareOwner, workspaceId);
    const { signal } = this.#stopping;
    const limits = { refusal: isStopped };
    let isDue = false;
    try {
      isDue = await this.#queue.run(share, () => this.#carryOut(_id), limits, signal);
    } catch (error) {
      if (!signal.aborted) this.#onError(error);
    }
    const ofOwner = this.#known.get(shareOwner);
    ofOwner?.delete(_id);
    if (ofOwner?.size === 0) this.#known.delete(shareOwner);
    if (isDue) this.#enqueue(schedule);
  }

  get #size(): number {
    let size = 0;
    for (const ofOwner of this.#known.values()) size += ofOwner.size;
    return size;
  }

  #ownersInFull(): ShareOwner[] {
    return [...this.#known]
      .filter(([, ofOwner]) => ofOwner.size >= MAX_KNOWN_OF_OWNER)
      .map(([owner]) => owner);
  }
}
