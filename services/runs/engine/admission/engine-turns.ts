import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';
import { TurnOrder } from '../../../../support/fair-shares/turn-order.ts';

/** Milliseconds of the turns in one pass of the event loop. Further turns wait for the next pass. */
const PASS_MS = 5;
/** The part of the time that the paced owners together may use. Beyond it their runs wait for their turns. */
const PACE = 0.5;
/** Milliseconds of unpaid work of one paced owner. Further unpaid work is not counted. */
const MAX_DEBT_MS = 1_000;
/** Milliseconds between two payments of debts. */
const PAY_INTERVAL_MS = 1;
/** The most milliseconds until the waiting runs are looked at again, because an owner may no longer be paced. */
const MAX_WAIT_MS = 50;
/** Milliseconds of work after which a run of a paced owner waits for its turn. A run with less work never does. */
const PACED_WORK_MS = 5;

export interface EngineTurnsOptions {
  /** The level of an owner's recent use, from 0; lower levels come first. */
  levelOf?: (owner: ShareOwner) => number;
  /** Whether the owner's runs are paced, because an owner who has used less is active. */
  isPaced?: (owner: ShareOwner) => boolean;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/** Whether a run has done so much work that its next turn may be paced. */
export const isMuchWork = (workMs: number): boolean => workMs >= PACED_WORK_MS;

/**
 * The turns in which the runs of this process compute between two passes of the event loop. The turns of one pass take
 * about `PASS_MS` together, so that requests and other runs wait for one turn and not for a turn of each run. Owners
 * take turns, those of a lower level first.
 *
 * A loop of tasks that wait for nothing would use all the time of the process. While an owner of a lower level is
 * active, the owners above are paced: each pays its own work, and together they pay with `PACE` of the time. Owners whose
 * runs wait pay first, in equal parts.
 */
export class EngineTurns {
  readonly #options: Required<EngineTurnsOptions>;
  readonly #waiting = new TurnOrder<() => void>();
  /** The runs that wait after much work. They wait longer while their owner is paced. */
  readonly #busy = new TurnOrder<() => void>();
  /** The unpaid work of the paced owners in milliseconds, as of `#paidAt`; none of them is 0. */
  readonly #debts = new Map<ShareOwner, number>();
  #paidAt = 0;
  /** The beginning of the turns of this pass of the event loop; null before the first. */
  #passBegan: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor({
    levelOf = () => 0,
    isPaced = () => false,
    now = () => performance.now(),
  }: EngineTurnsOptions = {}) {
    this.#options = { levelOf, isPaced, now };
  }

  isPaced(owner: ShareOwner): boolean {
    return this.#options.isPaced(owner);
  }

  /** Counts work of an owner in milliseconds. A paced owner pays it before its next turns. */
  count(owner: ShareOwner, workMs: number): void {
    if (workMs <= 0 || !this.isPaced(owner)) return;
    if (this.#debts.size === 0) this.#paidAt = this.#options.now();
    this.#debts.set(owner, Math.min((this.#debts.get(owner) ?? 0) + workMs, MAX_DEBT_MS));
  }

  /**
   * Resolves when a run may go on that has done so many milliseconds of work since its last paced turn. Resolves at
   * once when the signal is aborted.
   */
  take(share: Share, workMs: number, signal: AbortSignal | null): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const waiting = isMuchWork(workMs) ? this.#busy : this.#waiting;
    return new Promise((resolve) => {
      const leave = () => {
        waiting.remove(share, start);
        resolve();
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(share, start);
      this.#startSoon();
    });
  }

  /** Starts one waiting run in the next pass. What the run does at once ends before the next of these calls. */
  #startSoon(): void {
    setImmediate(() => this.#startNext());
  }

  #startNext(): void {
    if (this.#isPassOver) {
      this.#startSoon();
      return;
    }
    const { levelOf } = this.#options;
    this.#payDebts();
    const start =
      this.#waiting.take({ mayStart: () => true, levelOf }) ??
      this.#busy.take({ mayStart: ({ owner }) => this.#mayStart(owner), levelOf });
    if (start) start();
    else if (this.#busy.size > 0) this.#startLater();
  }

  get #isPassOver(): boolean {
    const now = this.#options.now();
    if (this.#passBegan === null) {
      this.#passBegan = now;
      setImmediate(() => {
        this.#passBegan = null;
      });
    }
    return now - this.#passBegan > PASS_MS;
  }

  #mayStart(owner: ShareOwner): boolean {
    return !this.#debts.has(owner) || !this.isPaced(owner);
  }

  #startLater(): void {
    if (this.#timer) return;
    const debts = this.#waitingDebts.map(([, debtMs]) => debtMs);
    const firstPaidMs = (Math.min(...debts) * debts.length) / PACE;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        for (let n = this.#busy.size; n > 0; n--) this.#startSoon();
      },
      Math.min(firstPaidMs, MAX_WAIT_MS),
    );
  }

  /** Pays the debts with `PACE` of the time since the last payment: first those of owners whose runs wait. */
  #payDebts(): void {
    const now = this.#options.now();
    if (now - this.#paidAt < PAY_INTERVAL_MS) return;
    const budgetMs = (now - this.#paidAt) * PACE;
    this.#paidAt = now;
    if (this.#debts.size === 0) return;
    const leftMs = this.#pay(this.#waitingDebts, budgetMs);
    if (leftMs > 0) this.#pay([...this.#debts], leftMs);
  }

  /** The debts of the owners whose runs wait. */
  get #waitingDebts(): [ShareOwner, number][] {
    return [...this.#debts].filter(([owner]) => this.#busy.has(owner));
  }

  /** Pays debts in equal parts. A small debt leaves the rest of its part to the larger debts. Returns the unused budget. */
  #pay(debts: readonly [ShareOwner, number][], budgetMs: number): number {
    let leftMs = budgetMs;
    const ascending = debts.toSorted(([, one], [, other]) => one - other);
    for (const [at, [owner, debtMs]] of ascending.entries()) {
      const paidMs = Math.min(debtMs, leftMs / (ascending.length - at));
      leftMs -= paidMs;
      if (paidMs < debtMs) this.#debts.set(owner, debtMs - paidMs);
      else this.#debts.delete(owner);
    }
    return leftMs;
  }
}
