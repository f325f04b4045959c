import { Registry } from 'prom-client';
import {
  deliveriesObserved,
  deliveryAttempted,
  deliveryEnded,
  subscriptionSwitchedOff,
} from '../../../services/events/events.diagnostics.ts';
import { countDeliveries } from '../../../telemetry/delivery-metrics.ts';

const registry = new Registry();
countDeliveries([registry]);

/** The samples of a metric in one scrape, by their labels. */
async function samplesOf(name: string): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n');
  const found = lines.flatMap((line) => {
    const [, labels = '', value] = new RegExp(`^${name}(?:{(.*)})? (\\S+)$`).exec(line) ?? [];
    return value === undefined ? [] : [[labels, Number(value)] as const];
  });
  return Object.fromEntries(found);
}
const attempt = (subscriptionId: number, outcome: 'delivered' | 'failed' | 'gone') =>
  deliveryAttempted.publish({ subscriptionId, outcome, ms: 5 });
const FAILING = 'event_subscription_failed_attempts';

test('attempts are counted by outcome, and failing subscriptions by their failed attempts', async () => {
  for (const id of [1, 1, 2]) attempt(id, 'failed');
  attempt(3, 'gone');
  attempt(4, 'delivered');
  expect(await samplesOf('event_delivery_attempts_total')).toEqual({
    'outcome="failed"': 3,
    'outcome="gone"': 1,
    'outcome="delivered"': 1,
  });
  expect(await samplesOf(FAILING)).toEqual({
    'subscription="1"': 2,
    'subscription="2"': 1,
    'subscription="3"': 1,
  });
  attempt(1, 'delivered');
  subscriptionSwitchedOff.publish({ subscriptionId: 3 });
  expect(await samplesOf(FAILING)).toEqual({ 'subscription="2"': 1 });
  expect(await samplesOf('event_subscriptions_switched_off_total')).toEqual({ '': 1 });
});

test('a thousand failing subscriptions have at most 50 series', async () => {
  for (let id = 1; id <= 1_000; id++) attempt(id, 'failed');
  expect(Object.keys(await samplesOf(FAILING))).toHaveLength(50);
});

test('the deliverer of the process and the ends of deliveries are told', async () => {
  deliveriesObserved.publish({ lanes: 4, inFlight: 2, oldestMs: 1_500 });
  deliveryEnded.publish({ status: 'DELIVERED', ms: 40 });
  expect(await samplesOf('event_delivery_lanes')).toEqual({ '': 4 });
  expect(await samplesOf('event_deliveries_in_flight')).toEqual({ '': 2 });
  expect(await samplesOf('event_delivery_age_seconds')).toEqual({ '': 1.5 });
  expect(await samplesOf('event_delivery_duration_seconds_count')).toEqual({
    'status="DELIVERED"': 1,
  });
});
