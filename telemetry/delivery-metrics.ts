import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Actions } from '../services/contracts.ts';
import {
  deliveriesObserved,
  deliveryAttempted,
  deliveryEnded,
  subscriptionSwitchedOff,
} from '../services/events/events.diagnostics.ts';
import { setAge } from './age-gauge.ts';
import { shareReading } from './shared-reading.ts';

/** Bucket bounds in seconds between an event and the end of its delivery, which is retried for a day. */
const DELIVERY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 1_800, 3_600, 21_600, 86_400];

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
    help: 'Attempts of this process that are under way, at most 256',
    registers,
  });
  deliveriesObserved.subscribe((observed) => {
    lanes.set(observed.lanes);
    inFlight.set(observed.inFlight);
  });
}

type OldestWaiting = Actions['events.oldestWaiting']['result'];

/**
 * Reports for how long a delivery has waited. The metric is missing while `findOldest` fails or takes too long: an age that
 * stands still would hide that deliveries have stopped.
 */
export function gaugeOldestWaiting(
  registry: Registry,
  findOldest: () => Promise<OldestWaiting>,
): void {
  const readOldest = shareReading(findOldest);
  const gauge: Gauge = new Gauge({
    name: 'event_delivery_age_seconds',
    help: 'For how long a delivery has waited: in this process, for any process, or after a failed attempt; 0 without one',
    registers: [registry],
    collect: async () => setAge(gauge, (await readOldest())?.since),
  });
}

type LongestFailures = Actions['events.longestFailures']['result'];

/**
 * Reports the subscriptions that fail for longest, at most 50. Each process with the service `events` reports the same
 * ones. The id of a subscription is no text of a user. The metric is missing while `findFailures` fails or takes too long.
 */
export function gaugeFailing(
  registry: Registry,
  findFailures: () => Promise<LongestFailures>,
): void {
  const readFailures = shareReading(findFailures);
  const gauge: Gauge<'subscription'> = new Gauge({
    name: 'event_subscription_failing_seconds',
    help: 'Time since the first failed attempt without a successful one after it, of the 50 subscriptions that fail for longest',
    labelNames: ['subscription'],
    registers: [registry],
    async collect() {
      const found = await readFailures();
      gauge.reset();
      for (const { subscriptionId: subscription, since } of found?.failures ?? []) {
        gauge.set({ subscription }, Math.max(Date.now() - Date.parse(since), 0) / 1_000);
      }
    },
  });
}
