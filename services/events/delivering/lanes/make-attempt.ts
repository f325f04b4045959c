import { logger } from '../../../../support/logging.ts';
import { isTransientError } from '../../../../support/transient-errors.ts';
import { deliveryAttempted } from '../../events.diagnostics.ts';
import type { DeliveryResult } from '../attempt.ts';
import type { PendingDelivery } from './pending-deliveries.ts';

/**
 * Makes an attempt by `send`. An error that lasts, such as that of a secret that does not open, counts as a failed attempt, so
 * that the delivery ends. An outage is thrown.
 */
export async function makeAttempt(
  { _id: deliveryId, subscriptionId }: PendingDelivery,
  send: () => Promise<DeliveryResult | null>,
): Promise<DeliveryResult | null> {
  const startedAt = performance.now();
  try {
    return await send();
  } catch (error) {
    if (isTransientError(error)) throw error;
    // Further properties of an error may hold the URL or the secret.
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    logger.error({ deliveryId, subscriptionId, reason }, 'A delivery could not be sent');
    const ms = performance.now() - startedAt;
    deliveryAttempted.publish({ subscriptionId, outcome: 'failed', ms });
    return { outcome: 'failed', response: null };
  }
}
