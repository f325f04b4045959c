import { IDLE_FACTOR, isIdle, onActivity } from '../../../support/activity.ts';
import { RollupWriter } from './rollup-writer.ts';
import { Standby } from './standby.ts';

/**
 * Milliseconds from a notification, or from a round that added runs, to the next round: runs of that time share
 * the round.
 */
const BATCH_DELAY_MS = 500;
/** Milliseconds from a round that found nothing, or failed, to the next round without a notification; more in an idle process. */
const SWEEP_MS = 5_000;
/**
 * The same for a scheduler that has met another scheduler, which alone gets the notifications of its process. The
 * time is shorter than the pause between two checks of a standby, so that the other scheduler stays on standby.
 */
const SHARED_SWEEP_MS = 800;
/** Runs of each flag that a round adds at most. The next round follows a full round at once. */
const BATCH_RUNS = 200;

/**
 * Adds created and ended runs to the rollups, soon after a notification and in any case periodically.
 *
 * One process adds the runs of all processes. Schedulers detect each other by the rollups: a scheduler whose
 * rollups were changed by another scheduler since its last round goes on standby, and becomes active again when
 * no process writes rollups. Its first active round knows no rollups, and so meets no conflict. Two active
 * schedulers may send each other to standby; then one of them is active again after about 3 s.
 */
export class RollupScheduler {
  readonly #writer = new RollupWriter();
  readonly #reportFailure: (error: unknown) => void;
  /** Set while this scheduler is on standby. */
  #standby: Standby | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires; infinite without a timer, and negative while a round is under way. */
  #due = Number.POSITIVE_INFINITY;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  #endPause = () => {};
  /** Whether this scheduler has been on standby. */
  #hasMetOthers = false;
  /** Whether a notification came since the latest round began. */
  #isNotified = false;

  constructor(reportFailure: (error: unknown) => void) {
    this.#reportFailure = reportFailure;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Notifies the scheduler that a run was created or has ended in this process. */
  notify(): void {
    this.#isNotified = true;
    if (!this.#standby) this.#schedule(BATCH_DELAY_MS);
  }

  /**
   * Ends with one last round. A scheduler on standby leaves its runs to the active scheduler, or to the next
   * start.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#endPause();
    await this.#round;
    if (!this.#standby) await this.#writer.writeBatch(BATCH_RUNS).catch(this.#reportFailure);
  }

  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#stopped || due >= this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound();
    }, ms);
  }

  async #runRound(): Promise<void> {
    let next = this.#standby?.pauseMs ?? SWEEP_MS;
    this.#endPause();
    this.#due = Number.NEGATIVE_INFINITY; // a notification schedules no second round
    try {
      next = await (this.#standby ? this.#checkStandby(this.#standby) : this.#writeRollups());
    } catch (error) {
      this.#reportFailure(error);
    }
    this.#due = Number.POSITIVE_INFINITY;
    const isLong = next === SWEEP_MS && isIdle() && !this.#stopped;
    this.#schedule(isLong ? next * IDLE_FACTOR : next);
    if (isLong) this.#endPause = onActivity(() => this.#schedule(next));
  }

  /** Returns the milliseconds to the next round, or to the first check of a standby. */
  async #writeRollups(): Promise<number> {
    this.#isNotified = false;
    const { runs, isContended } = await this.#writer.writeBatch(BATCH_RUNS);
    if (isContended) {
      this.#standby = new Standby();
      this.#hasMetOthers = true;
    }
    if (this.#standby) return this.#standby.pauseMs;
    if (runs >= BATCH_RUNS) return 0;
    if (runs > 0 || this.#isNotified) return BATCH_DELAY_MS;
    return this.#hasMetOthers ? SHARED_SWEEP_MS : SWEEP_MS;
  }

  /** Returns the milliseconds to the next check, or to the first active round. */
  async #checkStandby(standby: Standby): Promise<number> {
    if (!(await standby.check())) return standby.pauseMs;
    this.#standby = undefined;
    return 0;
  }
}
