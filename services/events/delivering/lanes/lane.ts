import { setTimeout as sleep } from 'node:timers/promises';
import { Errors } from 'moleculer';
import { Unavailable } from '../../../contract/problem.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { logger } from '../../../support/logging.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import { deliveryEnded } from '../events.diagnostics.ts';
import type { AttemptResult } from './attempt.ts';
import type { Completion } from './completion-writer.ts';
import { decideCompletion } from './decide-completion.ts';
import { LaneHealth } from './lane-health.ts';
import { type LaneDocument, type LaneNews, restLane } from './lane-leases.ts';
import {
  type FailedDelivery,
  failPending,
  findDue,
  findFailed,
  findNextAttempt,
  type PendingDelivery,
  postpone,
} from './pending-deliveries.ts';
import { ResourceQueue } from './resource-queue.ts';

/** Deliveries of a subscription in memory. Further ones stay in the database. */
const WINDOW = 1_000;
/** Deliveries in memory below which further ones are read. */
const REFILL = 500;

/** Milliseconds until deliveries are tried again that met a service or a database that is away, or a defect. */
const ERROR_PAUSE_MS = 1_000;
/** Milliseconds until the next look for deliveries that are due and were not read, because others are being recorded. */
const SETTLE_PAUSE_MS = 100;

/** What a lane needs of its deliverer. */
export interface LaneTools {
  holder: string;
  now: () => number;
  read: (id: number) => Promise<Readonly<LaneDocument> | null>;
  /** Whether the process still has the lease of the lane for sure. */
  isLeased: (id: number) => boolean;
  /** Sends a delivery in its turn; null when it was not sent, because the process stops or has lost the lane. */
  send: (delivery: PendingDelivery, lane: Readonly<LaneDocument>) => Promise<AttemptResult | null>;
  write: (completion: Completion) => Promise<void>;
  switchOff: (id: number, reason: string) => Promise<void>;
  /** Gives the lane up, which another process has or which was removed. */
  drop: (id: number) => void;
}

/**
 * Delivers one subscription. Several deliveries are in flight, and of each resource one at a time: the next one is sent
 * once the end of the one before is stored.
 */
export class Lane {
  readonly id: number;
  readonly #tools: LaneTools;
  readonly #queue = new ResourceQueue<PendingDelivery>();
  readonly #health: LaneHealth;
  readonly #loop: WorkLoop;
  #state: Readonly<LaneDocument>;
  /** The resources of which an attempt has failed since the last look began. */
  #failedKeys = new Set<string>();
  #hasMore = true;
  /** The time since when the lane has had nothing to do; null while it has. */
  #idleSince: number | null = null;

  constructor(state: LaneDocument, tools: LaneTools) {
    this.id = state._id;
    this.#state = state;
    this.#tools = tools;
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

  /** Begins no further delivery. Resolves when the look under way has ended, not when the attempts in flight have. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  get inFlight(): number {
    return this.#queue.taken;
  }

  /** The time of the oldest event in memory; null without one. */
  get oldest(): Date | null {
    return this.#queue.oldest;
  }

  isIdleFor(ms: number): boolean {
    return this.#idleSince !== null && performance.now() - this.#idleSince > ms;
  }

  /** What the lane has seen since the last call; null without anything. */
  takeNews(): LaneNews | null {
    return this.#health.takeNews();
  }

  async #look(): Promise<void> {
    const state = await this.#tools.read(this.id);
    if (state?.lane.holder !== this.#tools.holder) {
      this.#queue.clear();
      this.#tools.drop(this.id);
      return;
    }
    if (state.revision !== this.#state.revision) this.#health.reset(state.failingSince ?? null);
    this.#state = state;
    if (!state.enabled) {
      this.#queue.clear();
      await failPending(this.id);
    } else if (this.#queue.size < REFILL) await this.#refill();
    this.#pump();
    if (this.#queue.size === 0) await this.#rest(state.lane.raised);
  }

  async #refill(): Promise<void> {
    const failedKeys = new Set<string>();
    this.#failedKeys = failedKeys;
    const now = this.#tools.now();
    const limit = WINDOW - this.#queue.size;
    const { due, hasMore } = await findDue(this.id, { now, limit, except: this.#queue.ids });
    this.#hasMore = hasMore;
    if (!due.length) return;
    const blocked = await this.#findBlocked(due, now);
    for (const [key, until] of blocked) {
      const later = due.filter(({ resourceKey }) => resourceKey === key);
      await postpone(
        later.map(({ _id }) => _id),
        until,
      );
    }
    const isReady = ({ resourceKey: key }: PendingDelivery) =>
      !blocked.has(key) && !failedKeys.has(key);
    const ready = due.filter(isReady);
    if (ready.length < due.length) this.#hasMore = true;
    this.#queue.add(ready);
  }

  /**
   * The resources of which an earlier delivery waits after a failed attempt, with the time of its next attempt. A failed
   * delivery that is due is among `due`, in flight, or beyond the page that was read: then the later ones wait as well.
   */
  async #findBlocked(due: readonly PendingDelivery[], now: number): Promise<Map<string, Date>> {
    const keys = due.map(({ resourceKey }) => resourceKey);
    const failed = await findFailed(this.id, keys);
    const known = new Set([...due.map(({ _id }) => _id), ...this.#queue.ids]);
    const isBefore = ({ _id, nextAttemptAt }: FailedDelivery) =>
      nextAttemptAt.getTime() > now || !known.has(_id);
    return new Map(
      failed.filter(isBefore).map(({ backoffKey, nextAttemptAt }) => [backoffKey, nextAttemptAt]),
    );
  }

  #pump(): void {
    while (
      this.#queue.taken < this.#health.concurrency &&
      !this.#loop.isStopped &&
      this.#tools.isLeased(this.id)
    ) {
      const delivery = this.#queue.take();
      if (!delivery) break;
      void this.#deliver(delivery);
    }
  }

  async #deliver(delivery: PendingDelivery): Promise<void> {
    try {
      const result = await this.#tools.send(delivery, this.#state);
      if (result) await this.#complete(delivery, result);
      else this.#dropResource(delivery);
    } catch (error) {
      if (!isOutage(error)) {
        logger.error({ err: error, deliveryId: delivery._id }, 'A delivery has met a defect');
      }
      await sleep(ERROR_PAUSE_MS, undefined, { ref: false });
      this.#dropResource(delivery);
    } finally {
      this.#queue.end(delivery);
      this.#pump();
      if (this.#queue.size === 0 || (this.#hasMore && this.#queue.size < REFILL)) this.wake();
    }
  }

  /**
   * Takes the deliveries behind a delivery that has not ended out of memory, and lets a refill under way add none: they are
   * read again together with that delivery.
   */
  #dropResource({ resourceKey }: PendingDelivery): PendingDelivery[] {
    this.#failedKeys.add(resourceKey);
    this.#hasMore = true;
    return this.#queue.drop(resourceKey);
  }

  async #complete(delivery: PendingDelivery, result: AttemptResult): Promise<void> {
    const now = this.#tools.now();
    const completion = decideCompletion(delivery, result, now);
    const { nextAttemptAt } = completion;
    if (nextAttemptAt) this.#failedKeys.add(delivery.resourceKey);
    await this.#tools.write(completion);
    if (nextAttemptAt) {
      const later = this.#dropResource(delivery);
      await postpone(
        later.map(({ _id }) => _id),
        nextAttemptAt,
      );
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

/** Whether the same work may succeed later: the database or another service is away. */
const isOutage = (error: unknown): boolean =>
  isDatabaseAway(error) ||
  (error instanceof Errors.MoleculerError && error.code >= Unavailable.status);
