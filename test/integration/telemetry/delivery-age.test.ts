import { Registry } from 'prom-client';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { findOldestWaiting } from '../../../services/events/delivering/oldest-waiting.ts';
import { raiseLanes } from '../../../services/events/recording/lanes.ts';
import { gaugeOldestWaiting } from '../../../telemetry/delivery-metrics.ts';
import { waitFor } from '../../helpers/wait.ts';
import { deliveryOf, insertDeliveries, subscribe, useDeliveries } from '../events/delivering.ts';

const database = useDeliveries();
let registry: Registry;
let inMemory: Date | null;
beforeEach(async () => {
  inMemory = null;
  await databaseClock.read();
  registry = new Registry();
  gaugeOldestWaiting(registry, () => findOldestWaiting(inMemory));
});
afterEach(() => void database.mongo.process.kill('SIGCONT'));

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const METRIC = /^event_delivery_age_seconds (\S+)$/m;
/** The metric in one scrape, to 10 s; undefined where it is missing. */
async function scraped(): Promise<number | undefined> {
  const [, value] = METRIC.exec(await registry.metrics()) ?? [];
  return value === undefined ? undefined : Math.floor(Number(value) / 10) * 10;
}

test('the age is that of the oldest in this process, in a free lane, or after a failure', async () => {
  expect(await scraped()).toBe(0);
  await subscribe([1], { dueAt: ago(-100) });
  expect(await scraped()).toBe(0);
  await subscribe([2], { dueAt: ago(200), holder: 'other', leaseUntil: ago(-10) });
  expect(await scraped()).toBe(0);
  inMemory = ago(100);
  expect(await scraped()).toBe(100);
  await subscribe([3], { dueAt: ago(300) });
  await raiseLanes(new Map([[3, 1]]));
  expect(await scraped()).toBe(300);
  await insertDeliveries({ ...deliveryOf(1, 'R', ago(500).getTime()), backoffKey: 'R' });
  expect(await scraped()).toBe(500);
  await EventDeliveryModel.collection.deleteMany();
  await EventSubscriptionModel.collection.deleteMany();
  expect(await scraped()).toBe(100);
});

test('the age is missing while the database does not answer, and comes back', async () => {
  await subscribe([1], { dueAt: ago(200) });
  expect(await scraped()).toBe(200);
  database.mongo.process.kill('SIGSTOP');
  expect(await scraped()).toBeUndefined();
  database.mongo.process.kill('SIGCONT');
  await waitFor('the age', async () => (await scraped()) === 200);
});
