import type { DeliveryStatus } from '../../models/event-delivery.model.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** An attempt to deliver an event has ended. */
export const deliveryAttempted = new DiagnosticEvent<{
  subscriptionId: number;
  outcome: 'delivered' | 'failed' | 'gone';
  /** Milliseconds of the attempt. */
  ms: number;
}>('delivery-attempted');

/** A delivery has ended by an attempt. */
export const deliveryEnded = new DiagnosticEvent<{
  status: DeliveryStatus;
  /** Milliseconds since the event. */
  ms: number;
}>('delivery-ended');

/** The state of the deliverer of this process, each second. */
export const deliveriesObserved = new DiagnosticEvent<{
  /** Subscriptions that this process delivers. */
  lanes: number;
  /** Attempts under way. */
  inFlight: number;
}>('deliveries-observed');

/** The service has switched a subscription off. */
export const subscriptionSwitchedOff = new DiagnosticEvent<{ subscriptionId: number }>(
  'subscription-switched-off',
);
