import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import {
  deliveriesObserved,
  deliveryAttempted,
  deliveryEnded,
  subscriptionSwitchedOff,
} from '../services/events/events.diagnostics.ts';

/** Bucket bounds in seconds between an event and the end of its delivery, which is retried for a day. */
const DELIVERY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 1_800, 3_600, 21_600, 86_400];
/** Failing subscriptions that are told. Beyond them the subscription without an attempt for longest is left out. */
const MAX_FAILING = 50;
/** Milliseconds after the last failed attempt: then another process delivers, since attempts are at most an hour apart. */
const FAILING_TTL_MS = 2 * 60 * 60 * 1_000;

/** Counts deliveries of outgoing events from the diagnostic events of this process. */
export function countDeliveries(registers: Registry[]): void {
  const attempts = new Counter({
    name: 'event_delivery_attempts_total',
    help: 'Attempts of this process to deliver an outgoing event; gone: the receiver answered 410',
    labelNames: ['outcome'],
    registers,
  });
  deliveryAttempted.subscribe(({ outcome }) => attempts.inc({ outcome }));

  const lasted = new Histogram({
    name: 'event_delivery_duration_seconds',
    help: 'Time from an event to the end of its delivery by this process, by the status of the delivery',
    labelNames: ['status'],
    buckets: DELIVERY_BUCKETS,
    registers,
  });
  deliveryEnded.subscribe(({ status, ms }) => lasted.observe({ status }, Math.max(ms, 0) / 1_000));

  const off = new Counter({
    name: 'event_subscriptions_switched_off_total',
    help: 'Subscriptions that this process switched off because their deliveries failed',
    registers,
  });
  subscriptionSwitchedOff.subscribe(() => off.inc());

  gaugeDeliverer(registers);
  gaugeFailing(registers);
}

/** Reports the deliverer of this process as it was in the last second. */
function gaugeDeliverer(registers: Registry[]): void {
  const lanes = new Gauge({
    name: 'event_delivery_lanes',
    help: 'Subscriptions that this process delivers',
    registers,
  });
  const inFlight = new Gauge({
    name: 'event_deliveries_in_flight',
    help: 'Attempts of this process that are under way',
    registers,
  });
  const oldest = new Gauge({
    name: 'event_delivery_age_seconds',
    help: 'Age of the oldest event that waits in this process, or in all after a failed attempt; 0 without one',
    registers,
  });
  deliveriesObserved.subscribe((observed) => {
    lanes.set(observed.lanes);
    inFlight.set(observed.inFlight);
    oldest.set(observed.oldestMs / 1_000);
  });
}

/** Reports the subscriptions that fail. The id of a subscription is no text of a user, and the series are bounded. */
function gaugeFailing(registers: Registry[]): void {
  const failures = new LRUCache<number, number>({ max: MAX_FAILING, ttl: FAILING_TTL_MS });
  const gauge: Gauge<'subscription'> = new Gauge({
    name: 'event_subscription_failed_attempts',
    help: 'Failed attempts of this process since the last successful one, of at most 50 failing subscriptions',
    labelNames: ['subscription'],
    registers,
    collect() {
      gauge.reset();
      failures.purgeStale();
      for (const [subscription, count] of failures.entries()) gauge.set({ subscription }, count);
    },
  });
  deliveryAttempted.subscribe(({ subscriptionId, outcome }) => {
    if (outcome === 'delivered') failures.delete(subscriptionId);
    else failures.set(subscriptionId, (failures.get(subscriptionId) ?? 0) + 1);
  });
  subscriptionSwitchedOff.subscribe(({ subscriptionId }) => void failures.delete(subscriptionId));
}
