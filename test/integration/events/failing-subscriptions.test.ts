import { Registry } from 'prom-client';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { findLongestFailures } from '../../../services/events/subscriptions/list-failing-subscriptions.ts';
import { gaugeFailing } from '../../../telemetry/delivery-metrics.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { insertSubscription } from './delivering.ts';

useEmptyDatabase([EventSubscriptionModel]);
const collection = () => EventSubscriptionModel.collection;

const registry = new Registry();
gaugeFailing(registry, findLongestFailures);

/** The seconds for which each subscription has failed, by its id, as one scrape tells them. */
async function failing(): Promise<Record<string, number>> {
  const [metric] = await registry.getMetricsAsJSON();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [labels.subscription, value]),
  );
}

const store = (_id: number, failedSecondsAgo: number, fields = {}) =>
  insertSubscription(_id, {
    failingSince: new Date(Date.now() - failedSecondsAgo * 1e3),
    ...fields,
  });
const update = (_id: number, change: object) => collection().updateOne({ _id } as never, change);

test('a failing subscription has a series until it succeeds, is switched off, or is gone', async () => {
  for (const id of [1, 2, 3]) await store(id, 3_600 * id);
  await insertSubscription(4);
  const found = await failing();
  expect(Object.keys(found)).toEqual(['1', '2', '3']);
  expect(found[2]).toBeGreaterThanOrEqual(7_200);
  await update(1, { $unset: { failingSince: '' } });
  await update(2, { $set: { enabled: false } });
  await collection().deleteOne({ _id: 3 } as never);
  expect(await failing()).toEqual({});
});

test('of a thousand failing subscriptions, the 50 that fail for longest have series', async () => {
  for (let id = 1; id <= 1_000; id++) await store(id, id);
  const found = Object.keys(await failing()).map(Number);
  expect(found).toHaveLength(50);
  expect(Math.min(...found)).toBe(951);
});

test('the failures are read by an index, however many subscriptions were switched off', async () => {
  for (let id = 1; id <= 30; id++) await store(id, id, { enabled: false });
  await store(31, 31);
  const filter = { enabled: true, failingSince: { $exists: true } };
  const plan = await collection().find(filter).sort({ failingSince: 1, _id: 1 }).explain();
  expect(plan).toMatchObject({ executionStats: { totalDocsExamined: 1 } });
});

test('the metric is missing while the database cannot be asked', async () => {
  const away = new Registry();
  gaugeFailing(away, () => Promise.reject(new Error('the database is away')));
  expect(await away.getMetricsAsJSON()).toMatchObject([{ values: [] }]);
});
