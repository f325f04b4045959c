import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** An attempt to deliver an event has ended. */
export const deliveryAttempted = new DiagnosticEvent<{
  subscriptionId: number;
  outcome: 'delivered' | 'failed' | 'gone';
  /** Milliseconds of the attempt. */
  ms: number;
}>('delivery-attempted');

/** A delivery has ended, with the milliseconds since its event. */
export const deliveryEnded = new DiagnosticEvent<{
  subscriptionId: number;
  status: 'DELIVERED' | 'FAILED';
  ms: number;
}>('delivery-ended');

/** The state of the deliverer of this process, each second. */
export const deliveriesObserved = new DiagnosticEvent<{
  /** Subscriptions that this process delivers. */
  lanes: number;
  inFlight: number;
  /** Milliseconds since the oldest event that waits in this process for its delivery; 0 without such an event. */
  oldestMs: number;
}>('deliveries-observed');

/** The service has switched a subscription off. */
export const subscriptionSwitchedOff = new DiagnosticEvent<{ subscriptionId: number }>(
  'subscription-switched-off',
);
