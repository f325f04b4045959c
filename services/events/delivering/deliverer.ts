import { randomUUID } from 'node:crypto';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { logger } from '../../../support/logging.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import { deliveriesObserved } from '../events.diagnostics.ts';
import { CompletionWriter } from './completion-writer.ts';
import { Lane, type LaneTools } from './lane.ts';
import {
  claimLanes,
  findDueLanes,
  type LaneDocument,
  type LaneNews,
  laneReader,
  releaseLanes,
  renewLanes,
  writeLaneNews,
} from './lane-leases.ts';
import { findOldestFailed } from './pending-deliveries.ts';
import type { Sender } from './sender.ts';

/** Milliseconds between two looks for lanes that are due, for wakes that were lost and attempts that are repeated. */
const LOOK_EVERY_MS = 1_000;
/** The same, in seconds, for a process that delivers nothing at present. */
const IDLE_LOOK_EVERY = 3;
/** Milliseconds between two looks that were asked for. */
const LEAST_LOOK_MS = 50;
/** Milliseconds between two renewals of the leases. */
const RENEW_EVERY_MS = 3_000;
/** Milliseconds after a renewal for which the process counts on its leases, less than their 10 s. */
const SURE_MS = 7_000;
/** Milliseconds without deliveries after which a lane is given up, so that any process may take it. */
const IDLE_MS = 5_000;
/** Lanes that a process delivers at once. Further ones wait for another process, or for an idle lane. */
const MAX_LANES = 5_000;

export interface DelivererOptions {
  sender: Sender;
  switchOff: LaneTools['switchOff'];
  /** The clock that decides what is due, in milliseconds since the epoch. The clock of the database unless given. */
  now?: () => number;
}

/**
 * Delivers the subscriptions whose leases this process takes. A subscription is delivered by one process at a time; after
 * its death another process goes on within 10 s.
 */
export class Deliverer {
  readonly #holder = randomUUID();
  readonly #lanes = new Map<number, Lane>();
  /** The monotonic time until which the process counts on the lease of each lane. */
  readonly #sureUntil = new Map<number, number>();
  readonly #writer = new CompletionWriter();
  readonly #looks = new WorkLoop(
    () => this.#look(),
    (error) => logger.error({ err: error }, 'Deliveries are looked for later'),
  );
  readonly #sender: Sender;
  readonly #now: () => number;
  readonly #tools: LaneTools;
  #timers: NodeJS.Timeout[] = [];
  /** Seconds since the start, of those without lanes. */
  #seconds = 0;
  #lastLook = Number.NEGATIVE_INFINITY;

  constructor({ sender, switchOff, now = () => databaseClock.now() }: DelivererOptions) {
    this.#sender = sender;
    this.#now = now;
    this.#tools = {
      holder: this.#holder,
      now,
      read: laneReader(),
      isLeased: (id) => performance.now() < (this.#sureUntil.get(id) ?? 0),
      send: (delivery, lane) =>
        sender.send(delivery, lane, () => this.#tools.isLeased(delivery.subscriptionId)),
      write: (completion) => this.#writer.write(completion),
      switchOff,
      drop: (id) => this.#drop(id),
    };
  }

  start(): void {
    this.#timers = [
      setInterval(() => void this.#everySecond(), LOOK_EVERY_MS),
      setInterval(() => void this.#renew(), RENEW_EVERY_MS),
    ];
    void this.#everySecond();
  }

  /** Wakes the lanes of these subscriptions; looks for those that no process holds. */
  wake(subscriptionIds: readonly number[]): void {
    for (const id of subscriptionIds) {
      const lane = this.#lanes.get(id);
      if (lane) lane.wake();
      else this.#looks.wake();
    }
  }

  /** Begins nothing further, cuts off what is in flight, and gives the lanes to other processes. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looks.stop();
    await Promise.all([
      this.#sender.stop(),
      ...[...this.#lanes.values()].map((lane) => lane.stop()),
    ]);
    await this.#writeNews().catch(ignoreOutage);
    await releaseLanes([...this.#lanes.keys()], this.#holder).catch(ignoreOutage);
    this.#lanes.clear();
  }

  async #everySecond(): Promise<void> {
    const isIdle = this.#lanes.size === 0;
    if (isIdle && this.#seconds++ % IDLE_LOOK_EVERY > 0) return;
    try {
      await databaseClock.read();
      await this.#writeNews();
      await this.#observe();
    } catch (error) {
      ignoreOutage(error);
    }
    this.#looks.wake();
  }

  async #look(): Promise<void> {
    const early = this.#lastLook + LEAST_LOOK_MS - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    this.#lastLook = performance.now();
    const { held, free } = await findDueLanes(this.#holder, this.#now());
    for (const id of held) this.#lanes.get(id)?.wake();
    const lost = held.filter((id) => !this.#lanes.has(id));
    await releaseLanes(lost, this.#holder);
    await this.#claim(free.slice(0, MAX_LANES - this.#lanes.size));
  }

  async #claim(ids: readonly number[]): Promise<void> {
    const sureUntil = performance.now() + SURE_MS;
    for (const claimed of await claimLanes(ids, this.#holder, this.#now())) {
      this.#sureUntil.set(claimed._id, sureUntil);
      if (!this.#lanes.has(claimed._id)) this.#lanes.set(claimed._id, this.#laneOf(claimed));
      this.#lanes.get(claimed._id)?.wake();
    }
  }

  #laneOf = (claimed: LaneDocument): Lane => new Lane(claimed, this.#tools);

  /** Prolongs the leases, and gives up lanes that are idle or were lost. */
  async #renew(): Promise<void> {
    try {
      const idle = [...this.#lanes.values()].filter((lane) => lane.isIdleFor(IDLE_MS));
      const idleIds = idle.map(({ id }) => id);
      await this.#writeNews();
      for (const id of idleIds) this.#drop(id);
      await releaseLanes(idleIds, this.#holder);
      if (!this.#lanes.size) return;
      const sureUntil = performance.now() + SURE_MS;
      const held = await renewLanes(this.#holder, this.#now());
      for (const id of this.#lanes.keys()) {
        if (held.has(id)) this.#sureUntil.set(id, sureUntil);
        else this.#lanes.get(id)?.wake(); // its look finds that the lease is lost
      }
    } catch (error) {
      ignoreOutage(error);
    }
  }

  #drop(id: number): void {
    this.#lanes.delete(id);
    this.#sureUntil.delete(id);
  }

  async #writeNews(): Promise<void> {
    const news = new Map<number, LaneNews>();
    for (const lane of this.#lanes.values()) {
      const of = lane.takeNews();
      if (of) news.set(lane.id, of);
    }
    await writeLaneNews(news);
  }

  async #observe(): Promise<void> {
    if (!deliveriesObserved.hasSubscribers) return;
    const failed = await findOldestFailed();
    const lanes = [...this.#lanes.values()];
    const inFlight = lanes.reduce((sum, lane) => sum + lane.inFlight, 0);
    const waiting = [failed, ...lanes.map(({ oldest }) => oldest)];
    const oldest = waiting.flatMap((time) => time?.getTime() ?? []);
    const oldestMs = oldest.length ? Math.max(0, this.#now() - Math.min(...oldest)) : 0;
    deliveriesObserved.publish({ lanes: lanes.length, inFlight, oldestMs });
  }
}

function ignoreOutage(error: unknown): void {
  if (!isDatabaseAway(error)) logger.error({ err: error }, 'The leases of deliveries failed');
}
