import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundClient } from '@workspace-automation/outbound-http';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { deliveryAttempted } from '../events.diagnostics.ts';
import type { SubscriptionSecrets } from '../subscriptions/subscription-secrets.ts';
import { type AttemptResult, attempt, type DeliveryResult, type Message } from './attempt.ts';
import { EventBodies } from './event-bodies.ts';
import type { LaneDocument } from './lanes/lane-leases.ts';
import type { PendingDelivery } from './lanes/pending-deliveries.ts';

/** Attempts of this process in flight at once; further ones wait. */
const MAX_IN_FLIGHT = 256;
/** Places that only owners without an attempt in flight get. */
const RESERVED_FOR_NEW_OWNERS = 16;
/** Milliseconds for which attempts in flight may end at a stop; then they are cut off, and made again elsewhere. */
const STOP_MS = 3_000;

export interface SenderOptions {
  outbound: OutboundClient;
  secrets: SubscriptionSecrets;
  shareOf: (workspaceId: number) => Promise<Share>;
}

/** An attempt was not made: the process stops. */
class NotSentError extends Error {}

/**
 * Sends deliveries in turns: owners of workspaces take turns, then the subscriptions of a workspace. One owner leaves places
 * free for others, however slow their receivers are.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #bodies = new EventBodies();
  readonly #stopping = new AbortController();
  readonly #slots = new FairQueue({
    concurrency: MAX_IN_FLIGHT,
    isDivided: true,
    reservedForNewOwners: RESERVED_FOR_NEW_OWNERS,
    refusal: () => new NotSentError(),
  });
  /** Deliveries that wait for their turn, or are in flight. */
  readonly #sending = new Set<Promise<unknown>>();
  #inFlight = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Attempts in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Makes an attempt. `expired` where the text of the event was removed. Null when no attempt was made: the process stops, or
   * `mayBegin` is false when its turn has come.
   */
  async send(
    { _id: deliveryId, subscriptionId, eventId }: PendingDelivery,
    { workspaceId, url, sealedSecret }: Readonly<LaneDocument>,
    mayBegin: () => boolean,
  ): Promise<DeliveryResult | null> {
    const { secrets, shareOf } = this.#options;
    const [secret, share] = await Promise.all([
      secrets.open({ workspaceId, subscriptionId }, sealedSecret),
      shareOf(workspaceId),
    ]);
    const { signal } = this.#stopping;
    const work = async () => {
      const body = await this.#bodies.bodyOf(eventId); // not earlier: deliveries that wait for their turn hold no text
      if (!mayBegin()) return null;
      if (body === null) return { outcome: 'expired', response: null } as const;
      return this.#attempt(subscriptionId, { deliveryId, url, body, secret });
    };
    try {
      return await this.#track(
        this.#slots.run({ ...share, run: subscriptionId }, work, undefined, signal),
      );
    } catch (error) {
      if (error instanceof NotSentError) return null;
      throw error;
    }
  }

  /** Lets attempts in flight end for a while, then cuts them off. */
  async stop(): Promise<void> {
    const ended = Promise.allSettled([...this.#sending]);
    await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    this.#stopping.abort();
    await ended;
  }

  async #attempt(subscriptionId: number, message: Message): Promise<AttemptResult | null> {
    const { signal } = this.#stopping;
    const startedAt = performance.now();
    this.#inFlight++;
    try {
      const now = new Date();
      const result = await attempt(message, this.#options.outbound, { now, signal });
      if (signal.aborted && !result.response) return null;
      const ms = performance.now() - startedAt;
      deliveryAttempted.publish({ subscriptionId, outcome: result.outcome, ms });
      return result;
    } finally {
      this.#inFlight--;
    }
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#sending.add(work);
    try {
      return await work;
    } finally {
      this.#sending.delete(work);
    }
  }
}
