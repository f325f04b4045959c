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

test('attempts are counted by outcome, and the subscriptions that are switched off', async () => {
  for (const id of [1, 1, 2]) attempt(id, 'failed');
  attempt(3, 'gone');
  attempt(4, 'delivered');
  expect(await samplesOf('event_delivery_attempts_total')).toEqual({
    'outcome="failed"': 3,
    'outcome="gone"': 1,
    'outcome="delivered"': 1,
  });
  subscriptionSwitchedOff.publish({ subscriptionId: 3 });
  expect(await samplesOf('event_subscriptions_switched_off_total')).toEqual({ '': 1 });
});

test('the deliverer of the process and the ends of deliveries are told', async () => {
  deliveriesObserved.publish({ lanes: 4, inFlight: 2 });
  deliveryEnded.publish({ status: 'DELIVERED', ms: 40 });
  expect(await samplesOf('event_delivery_lanes')).toEqual({ '': 4 });
  expect(await samplesOf('event_deliveries_in_flight')).toEqual({ '': 2 });
  expect(await samplesOf('event_delivery_duration_seconds_count')).toEqual({
    'status="DELIVERED"': 1,
  });
});
