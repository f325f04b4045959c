import {
  type FailedDelivery,
  findDue,
  findFailed,
  type PendingDelivery,
  postpone,
} from './pending-deliveries.ts';
import { ResourceQueue } from './resource-queue.ts';

/**
 * The deliveries of a subscription in memory, those in flight among them. Further ones stay in the database. No delivery of
 * a resource is in the window while an earlier one waits after a failed attempt.
 */
export class DeliveryWindow {
  readonly #subscriptionId: number;
  readonly #sizeLimit: () => number;
  readonly #queue = new ResourceQueue<PendingDelivery>();
  /** The resources of which an attempt has failed since the last refill began. */
  #failedKeys = new Set<string>();
  #hasMore = true;

  /** @param sizeLimit deliveries of the window, which may change from refill to refill */
  constructor(subscriptionId: number, sizeLimit: () => number) {
    this.#subscriptionId = subscriptionId;
    this.#sizeLimit = sizeLimit;
  }

  get size(): number {
    return this.#queue.size;
  }

  get inFlight(): number {
    return this.#queue.taken;
  }

  /** The time of the oldest event in the window; null without one. */
  get oldest(): Date | null {
    return this.#queue.oldest;
  }

  /** Whether a refill may add deliveries, as far as this process knows. */
  get wantsRefill(): boolean {
    return this.size === 0 || (this.#hasMore && this.#isLow);
  }

  /** Takes a delivery of a resource of which none is in flight; null without such a delivery. */
  take(): PendingDelivery | null {
    return this.#queue.take();
  }

  /** Ends a taken delivery. */
  end(delivery: PendingDelivery): void {
    this.#queue.end(delivery);
  }

  /** Takes all deliveries that are not in flight out of the window. */
  clear(): void {
    this.#queue.clear();
  }

  /** Lets a refill under way add no delivery of the resource, whose attempt has not succeeded. */
  holdBack({ resourceKey }: PendingDelivery): void {
    this.#failedKeys.add(resourceKey);
  }

  /** Takes the deliveries behind a delivery that has not ended out of the window: they are read again with it. */
  dropBehind(delivery: PendingDelivery): PendingDelivery[] {
    this.holdBack(delivery);
    this.#hasMore = true;
    return this.#queue.drop(delivery.resourceKey);
  }

  /** Reads deliveries that are due, unless the window has enough. */
  async refill(now: number): Promise<void> {
    if (!this.#isLow) return;
    const failedKeys = new Set<string>();
    this.#failedKeys = failedKeys;
    const limit = this.#sizeLimit() - this.size;
    const except = this.#queue.ids;
    const { due, hasMore } = await findDue(this.#subscriptionId, { now, limit, except });
    this.#hasMore = hasMore;
    if (!due.length) return;
    const blocked = await this.#findBlocked(due, now);
    for (const [key, until] of blocked) {
      const later = due.filter(({ resourceKey }) => resourceKey === key);
      await postpone(later, until);
    }
    const isReady = ({ resourceKey: key }: PendingDelivery) =>
      !blocked.has(key) && !failedKeys.has(key);
    const ready = due.filter(isReady);
    if (ready.length < due.length) this.#hasMore = true;
    this.#queue.add(ready);
  }

  get #isLow(): boolean {
    return this.size < this.#sizeLimit() / 2;
  }

  /**
   * The resources of which an earlier delivery waits after a failed attempt, with the time of its next attempt. A failed
   * delivery that is due is among `due`, in flight, or beyond the page that was read: then the later ones wait as well.
   */
  async #findBlocked(due: readonly PendingDelivery[], now: number): Promise<Map<string, Date>> {
    const keys = due.map(({ resourceKey }) => resourceKey);
    const failed = await findFailed(this.#subscriptionId, keys);
    const known = new Set([...due.map(({ _id }) => _id), ...this.#queue.ids]);
    const isBefore = ({ _id, nextAttemptAt }: FailedDelivery) =>
      nextAttemptAt.getTime() > now || !known.has(_id);
    return new Map(
      failed.filter(isBefore).map(({ backoffKey, nextAttemptAt }) => [backoffKey, nextAttemptAt]),
    );
  }
}
