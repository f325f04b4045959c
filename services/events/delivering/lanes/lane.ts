import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../../../../support/logging.ts';
import { isTransientError } from '../../../../support/transient-errors.ts';
import { WorkLoop } from '../../../../support/work-loop.ts';
import { deliveryEnded } from '../../events.diagnostics.ts';
import type { DeliveryResult } from '../attempt.ts';
import type { Completion } from '../completion-writer.ts';
import { decideCompletion } from '../decide-completion.ts';
import { DeliveryWindow } from './delivery-window.ts';
import type { LaneDelta } from './lane-deltas.ts';
import { LaneHealth } from './lane-health.ts';
import { type LaneDocument, restLane } from './lane-leases.ts';
import { makeAttempt } from './make-attempt.ts';
import {
  failPending,
  findNextAttempt,
  type PendingDelivery,
  postpone,
} from './pending-deliveries.ts';

/** Milliseconds until deliveries are tried again that met a service or a database that is away. */
const OUTAGE_PAUSE_MS = 1_000;
/** Milliseconds until the next look for deliveries that are due and were not read, because others are being recorded. */
const SETTLE_PAUSE_MS = 100;
/** Milliseconds for which a stop waits for the ends of attempts. Beyond them the lease has to expire. */
const STOP_MS = 5_000;

/** What a lane needs of its deliverer. */
export interface LaneTools {
  holder: string;
  now: () => number;
  read: (id: number) => Promise<Readonly<LaneDocument> | null>;
  /** Deliveries that a lane may have in memory at present. */
  windowSize: () => number;
  /** Sends a delivery in its turn; null when it was not sent, because the process stops or has lost the lane. */
  send: (
    delivery: PendingDelivery,
    lane: Readonly<LaneDocument>,
    mayBegin: () => boolean,
  ) => Promise<DeliveryResult | null>;
  write: (completion: Completion) => Promise<void>;
  switchOff: (id: number, reason: string) => Promise<void>;
  /** Gives the lane up, which another process has or which was removed. */
  drop: (lane: Lane) => void;
}

/**
 * Delivers one subscription. Several deliveries are in flight, and of each resource one at a time: the next one is sent
 * once the end of the one before is stored.
 */
export class Lane {
  readonly id: number;
  readonly #tools: LaneTools;
  readonly #window: DeliveryWindow;
  readonly #health: LaneHealth;
  readonly #loop: WorkLoop;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #state: Readonly<LaneDocument>;
  /** The monotonic time until which the process counts on the lease. */
  #leasedUntil = Number.NEGATIVE_INFINITY;
  /** The time since when the lane has had nothing to do; null while it has. */
  #idleSince: number | null = null;

  constructor(state: LaneDocument, tools: LaneTools) {
    this.id = state._id;
    this.#state = state;
    this.#tools = tools;
    this.#window = new DeliveryWindow(this.id, tools.windowSize);
    this.#health = new LaneHealth(state.failingSince ?? null);
    this.#loop = new WorkLoop(
      () => this.#look(),
      (error) =>
        logger.error({ err: error, subscriptionId: this.id }, 'A subscription is not delivered'),
    );
  }

  readonly wake = (): void => {
    this.#idleSince = null;
    this.#loop.wake();
  };

  /** Lets the lane begin attempts until a monotonic time. */
  lease(until: number): void {
    const wasLeased = this.isLeased();
    this.#leasedUntil = until;
    if (!wasLeased) this.wake();
  }

  /** Lets the lane begin no further attempt: the process no longer has its lease. */
  endLease(): void {
    this.#leasedUntil = Number.NEGATIVE_INFINITY;
    this.#window.clear();
  }

  /** Whether the process still has the lease of the lane for sure. */
  readonly isLeased = (): boolean => performance.now() < this.#leasedUntil;

  /**
   * Begins no further attempt, and waits for the ends of those in flight to be stored. False when they take too long: then
   * another process must not have the lane before the lease expires.
   */
  async stop(): Promise<boolean> {
    this.#stopping.abort();
    const ended = this.#loop.stop().then(() => Promise.all(this.#inFlight));
    const tooLong = sleep(STOP_MS, false, { ref: false });
    return Promise.race([ended.then(() => true), tooLong]);
  }

  get inFlight(): number {
    return this.#window.inFlight;
  }

  /** The time of the oldest event in memory; null without one. */
  get oldest(): Date | null {
    return this.#window.oldest;
  }

  isIdleFor(ms: number): boolean {
    return this.#idleSince !== null && performance.now() - this.#idleSince > ms;
  }

  drainDelta(): LaneDelta | null {
    return this.#health.drainDelta();
  }

  restoreDelta(delta: LaneDelta): void {
    this.#health.restoreDelta(delta);
  }

  async #look(): Promise<void> {
    const state = await this.#tools.read(this.id);
    if (state?.lane.holder !== this.#tools.holder) {
      this.#tools.drop(this);
      return;
    }
    if (state.revision !== this.#state.revision) this.#health.reset(state.failingSince ?? null);
    this.#state = state;
    if (state.enabled) await this.#window.refill(this.#tools.now());
    else {
      this.#window.clear();
      await failPending(this.id);
    }
    this.#pump();
    if (this.#window.size === 0) await this.#rest(state.lane.raised);
  }

  #pump(): void {
    while (
      this.#window.inFlight < this.#health.concurrency &&
      !this.#loop.isStopped &&
      this.isLeased()
    ) {
      const delivery = this.#window.take();
      if (!delivery) break;
      const delivering = this.#deliver(delivery).finally(() => this.#inFlight.delete(delivering));
      this.#inFlight.add(delivering);
    }
  }

  async #deliver(delivery: PendingDelivery): Promise<void> {
    try {
      const result = await makeAttempt(delivery, () =>
        this.#tools.send(delivery, this.#state, this.isLeased),
      );
      if (result) await this.#complete(delivery, result);
      else this.#window.dropBehind(delivery);
    } catch (error) {
      if (!isTransientError(error)) {
        logger.error({ err: error, deliveryId: delivery._id }, 'A delivery has met a defect');
      }
      const { signal } = this.#stopping;
      await sleep(OUTAGE_PAUSE_MS, undefined, { ref: false, signal }).catch(() => undefined);
      this.#window.dropBehind(delivery);
    } finally {
      this.#window.end(delivery);
      this.#pump();
      if (this.#window.wantsRefill) this.wake();
    }
  }

  async #complete(delivery: PendingDelivery, result: DeliveryResult): Promise<void> {
    const now = this.#tools.now();
    const completion = decideCompletion(delivery, result, now);
    const { nextAttemptAt } = completion;
    if (nextAttemptAt) this.#window.holdBack(delivery);
    await this.#tools.write(completion);
    if (nextAttemptAt) {
      const later = this.#window.dropBehind(delivery);
      // Without the lease another process may have delivered this one, and the later ones are due.
      if (this.isLeased()) await postpone(later, nextAttemptAt);
    } else {
      this.#health.countEnded();
      deliveryEnded.publish({ status: completion.status, ms: now - delivery.createdAt.getTime() });
    }
    const reason = this.#health.record(result, now);
    if (reason !== null) await this.#tools.switchOff(this.id, reason);
  }

  /** Leaves the lane until its next attempt is due. Deliveries that were added meanwhile are looked for at once. */
  async #rest(raised: number): Promise<void> {
    const dueAt = await findNextAttempt(this.id);
    if (dueAt && dueAt.getTime() <= this.#tools.now())
      setTimeout(this.wake, SETTLE_PAUSE_MS).unref();
    else if (await restLane(this.id, this.#tools.holder, { raised, dueAt })) {
      if (!dueAt) this.#health.forgetEnded();
      this.#idleSince ??= performance.now();
    } else this.#loop.wake();
  }
}
