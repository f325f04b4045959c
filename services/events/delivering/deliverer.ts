import { randomUUID } from 'node:crypto';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { logger } from '../../../support/logging.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import { deliveriesObserved } from '../events.diagnostics.ts';
import { CompletionWriter } from './completion-writer.ts';
import { findDueAmong } from './lanes/find-lanes.ts';
import { Lane, type LaneTools } from './lanes/lane.ts';
import { LaneClaimer } from './lanes/lane-claimer.ts';
import { writeLaneDeltas } from './lanes/lane-deltas.ts';
import { endExpiredLeases, laneReader, releaseLanes, renewLanes } from './lanes/lane-leases.ts';
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
/** Deliveries of all lanes in memory, about. The lanes share them; further deliveries stay in the database. */
const MAX_IN_MEMORY = 50_000;
/** Deliveries of one lane in memory, at most and at least. */
const MAX_WINDOW = 1_000;
const MIN_WINDOW = 20;

export interface DelivererOptions {
  sender: Pick<Sender, 'send' | 'stop' | 'inFlight'>;
  switchOff: LaneTools['switchOff'];
  /** The share to which a workspace's lanes are charged. */
  shareOf: (workspaceId: number) => Promise<Share>;
  /** The clock that decides what is due, in milliseconds since the epoch. The clock of the database unless given. */
  now?: () => number;
  /** Lanes of the process at once; 5,000 unless given. */
  maxLanes?: number;
}

/**
 * Delivers the subscriptions whose leases this process takes. A subscription is delivered by one process at a time; after
 * its death another process goes on when the lease has expired.
 */
export class Deliverer {
  readonly #holder = randomUUID();
  readonly #lanes = new Map<number, Lane>();
  readonly #claimer: LaneClaimer;
  readonly #writer = new CompletionWriter();
  readonly #looks = loopOf(() => this.#look());
  readonly #seconds = loopOf(() => this.#everySecond());
  readonly #renewals = loopOf(() => this.#renew());
  readonly #sender: DelivererOptions['sender'];
  readonly #now: () => number;
  readonly #tools: LaneTools;
  #timers: NodeJS.Timeout[] = [];
  /** Seconds since the start, of those without lanes. */
  #idleSeconds = 0;
  #lastLook = Number.NEGATIVE_INFINITY;

  constructor(options: DelivererOptions) {
    const { sender, switchOff, now = () => databaseClock.now() } = options;
    this.#sender = sender;
    this.#now = now;
    this.#claimer = new LaneClaimer({ holder: this.#holder, ...options });
    this.#tools = {
      holder: this.#holder,
      now,
      read: laneReader(),
      windowSize: () =>
        Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, Math.floor(MAX_IN_MEMORY / this.#lanes.size))),
      send: (delivery, lane, mayBegin) => sender.send(delivery, lane, mayBegin),
      write: (completion) => this.#writer.write(completion),
      switchOff,
      drop: (lane) => this.#drop(lane),
    };
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.#onSecond(), LOOK_EVERY_MS),
      setInterval(this.#renewals.wake, RENEW_EVERY_MS),
    ];
    this.#onSecond();
  }

  /** Wakes the lanes of these subscriptions; looks for those that no process holds. */
  wake(subscriptionIds: readonly number[]): void {
    for (const id of subscriptionIds) {
      const lane = this.#lanes.get(id);
      if (lane) lane.wake();
      else {
        this.#claimer.addWoken(id);
        this.#looks.wake();
      }
    }
  }

  /** The time of the oldest event in memory; null without one. */
  get oldest(): Date | null {
    const times = [...this.#lanes.values()].flatMap(({ oldest }) => oldest?.getTime() ?? []);
    return times.length ? new Date(Math.min(...times)) : null;
  }

  /**
   * Begins nothing further, cuts off what is in flight, and gives the lanes to other processes once the ends of their attempts
   * are stored.
   */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#looks.stop(), this.#seconds.stop(), this.#renewals.stop()]);
    const lanes = [...this.#lanes.values()];
    const stopped = Promise.all(lanes.map((lane) => lane.stop()));
    const [haveEnded] = await Promise.all([stopped, this.#sender.stop()]);
    await writeLaneDeltas(lanes).catch(ignoreOutage);
    const ended = lanes.filter((_, at) => haveEnded[at]).map(({ id }) => id);
    await releaseLanes(ended, this.#holder).catch(ignoreOutage);
    this.#lanes.clear();
  }

  #onSecond(): void {
    deliveriesObserved.publish({ lanes: this.#lanes.size, inFlight: this.#sender.inFlight });
    this.#seconds.wake();
  }

  async #everySecond(): Promise<void> {
    const isIdle = this.#lanes.size === 0;
    if (isIdle && this.#idleSeconds++ % IDLE_LOOK_EVERY > 0) return;
    await databaseClock.read();
    await writeLaneDeltas(this.#lanes.values());
    const isInMemory = (id: number, holder: string | undefined) =>
      holder === this.#holder && this.#lanes.has(id);
    await endExpiredLeases(new Date(this.#now()), isInMemory);
    await this.#wakeDue();
    this.#looks.wake();
  }

  /** Wakes the lanes with due deliveries and without attempts in flight: a wake was lost, or a repetition is due. */
  async #wakeDue(): Promise<void> {
    const quiet = [...this.#lanes.values()].filter(({ inFlight }) => inFlight === 0);
    const ids = quiet.map(({ id }) => id);
    for (const id of await findDueAmong(ids, new Date(this.#now()))) this.#lanes.get(id)?.wake();
  }

  async #look(): Promise<void> {
    const early = this.#lastLook + LEAST_LOOK_MS - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    this.#lastLook = performance.now();
    const { claimed, sentAt, hasMore } = await this.#claimer.claim(this.#now);
    for (const state of claimed) {
      const lane = new Lane(state, this.#tools);
      this.#lanes.set(lane.id, lane);
      lane.lease(sentAt + SURE_MS);
    }
    if (hasMore && claimed.length) this.#looks.wake();
  }

  /** Prolongs the leases, and gives up lanes that are idle or were lost. */
  async #renew(): Promise<void> {
    await writeLaneDeltas(this.#lanes.values());
    const idle = [...this.#lanes.values()].filter((lane) => lane.isIdleFor(IDLE_MS));
    for (const lane of idle) this.#drop(lane);
    await releaseLanes(
      idle.map(({ id }) => id),
      this.#holder,
    );
    const lanes = [...this.#lanes.values()];
    if (!lanes.length) return;
    const leasedUntil = performance.now() + SURE_MS;
    const held = await renewLanes([...this.#lanes.keys()], this.#holder, this.#now());
    for (const lane of lanes) {
      if (held.has(lane.id)) lane.lease(leasedUntil);
      else lane.wake(); // its look finds that the lease is lost
    }
  }

  #drop(lane: Lane): void {
    lane.endLease();
    if (this.#lanes.get(lane.id) !== lane) return;
    this.#lanes.delete(lane.id);
    this.#claimer.giveUp(lane.id);
  }
}

const loopOf = (work: () => Promise<void>): WorkLoop =>
  new WorkLoop(work, (error) => logger.error({ err: error }, 'Deliveries are looked for later'));

function ignoreOutage(error: unknown): void {
  if (!isDatabaseAway(error)) logger.error({ err: error }, 'The leases of deliveries failed');
}
