import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundClient } from '@workspace-automation/outbound-http';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { deliveryAttempted } from '../events.diagnostics.ts';
import type { SubscriptionSecrets } from '../subscriptions/subscription-secrets.ts';
import { type AttemptResult, attempt } from './attempt.ts';
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
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Makes an attempt. Null when none was made: the process stops, or `mayBegin` is false when its turn has come. */
  async send(
    { _id: deliveryId, subscriptionId, eventId }: PendingDelivery,
    { workspaceId, url, sealedSecret }: Readonly<LaneDocument>,
    mayBegin: () => boolean,
  ): Promise<AttemptResult | null> {
    const { secrets, shareOf, outbound } = this.#options;
    const [body, secret, share] = await Promise.all([
      this.#bodies.bodyOf(eventId),
      secrets.open({ workspaceId, subscriptionId }, sealedSecret),
      shareOf(workspaceId),
    ]);
    if (body === null) return { outcome: 'failed', response: null };
    const { signal } = this.#stopping;
    const work = async () => {
      if (!mayBegin()) return null;
      const startedAt = performance.now();
      const message = { deliveryId, url, body, secret };
      const result = await attempt(message, outbound, { now: new Date(), signal });
      if (signal.aborted && !result.response) return null;
      const ms = performance.now() - startedAt;
      deliveryAttempted.publish({ subscriptionId, outcome: result.outcome, ms });
      return result;
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
    const ended = Promise.allSettled([...this.#inFlight]);
    await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    this.#stopping.abort();
    await ended;
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work);
    try {
      return await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }
}
