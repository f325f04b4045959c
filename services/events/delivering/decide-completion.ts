import { backoffOf } from '../deliveries/delivery-times.ts';
import type { DeliveryResult } from './attempt.ts';
import type { Completion } from './completion-writer.ts';
import type { PendingDelivery } from './lanes/pending-deliveries.ts';

/** What becomes of a delivery after an attempt: it ends, or is tried again unless that would be too late. */
export function decideCompletion(
  delivery: PendingDelivery,
  { outcome, response }: DeliveryResult,
  now: number,
  random = Math.random(),
): Completion {
  if (outcome === 'delivered') {
    return { delivery, status: 'DELIVERED', response, nextAttemptAt: null };
  }
  const nextAttemptAt = new Date(now + backoffOf(delivery.failures + 1, random));
  const isLast = outcome === 'gone' || outcome === 'expired' || nextAttemptAt > delivery.giveUpAt;
  return isLast
    ? { delivery, status: 'FAILED', response, nextAttemptAt: null }
    : { delivery, status: 'PENDING', response, nextAttemptAt };
}
