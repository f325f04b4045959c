import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import type { Deliverer } from '../../../services/events/delivering/deliverer.ts';
import { shareOfWorkspace } from '../../../support/fair-shares/share.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  deliveryOf,
  insertDeliveries,
  SENT,
  startDeliverer,
  storedDelivery,
  storedLane,
  subscribe,
  useDeliveries,
} from './delivering.ts';

useDeliveries();
let deliverer: Deliverer;
afterEach(async () => {
  release.resolve(SENT);
  await deliverer.stop();
});
let release = Promise.withResolvers<typeof SENT>();
beforeEach(() => {
  release = Promise.withResolvers();
});

/** The workspaces of one owner with many of them; each other workspace has an owner of its own. */
const GREEDY_WORKSPACES = 10;
const isGreedy = (workspaceId: number) => workspaceId <= GREEDY_WORKSPACES;
const shareOf = async (workspaceId: number) =>
  shareOfWorkspace(isGreedy(workspaceId) ? 'person:1' : `person:${workspaceId}`, workspaceId);

/** Inserts due lanes of the owner with many workspaces, from id 1 on, whose receivers never answer. */
async function subscribeGreedy(count: number, at: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => n + 1);
  await subscribe(ids, { dueAt: new Date(at) }, (id) => (id % GREEDY_WORKSPACES) + 1);
  await insertDeliveries(...ids.map((id) => deliveryOf(id, 'R', at, id)));
}
const start = (maxLanes?: number) => {
  deliverer = startDeliverer(
    ({ subscriptionId }) => (subscriptionId < 10_000 ? release.promise : Promise.resolve(SENT)),
    { shareOf, ...(maxLanes ? { maxLanes } : {}) },
  );
};
/** Inserts a lane of another owner with one delivery that is due since `at`. Both have the id. */
async function subscribeOther(id: number, at: number): Promise<void> {
  await subscribe([id], { dueAt: new Date(at) }, () => id);
  await insertDeliveries(deliveryOf(id, 'R', at, id));
}
const isDelivered = async (id: number) => (await storedDelivery(id))?.status === 'DELIVERED';
const countHeld = () =>
  EventSubscriptionModel.collection.countDocuments({
    _id: { $lt: 10_000 },
    'lane.holder': { $exists: true },
  } as never);

test("hundreds of busy lanes of one owner do not keep another's from being found", async () => {
  const begin = Date.now() - 60_000;
  await subscribeGreedy(600, begin);
  start();
  await waitFor('the busy lanes', async () => (await countHeld()) === 600);
  await subscribeOther(10_000, begin + 1_000);
  await waitFor('the delivery', () => isDelivered(10_000));
});

test('an owner with more busy lanes than a process holds leaves room for others', async () => {
  const begin = Date.now() - 60_000;
  await subscribeGreedy(100, begin);
  start(40);
  await waitFor('the busy lanes', async () => (await countHeld()) > 20);
  for (const id of [10_000, 10_001, 10_002]) await subscribeOther(id, begin + 1_000);
  await waitFor('the deliveries', async () =>
    (await Promise.all([10_000, 10_001, 10_002].map(isDelivered))).every(Boolean),
  );
  expect(await countHeld()).toBeLessThanOrEqual(30);
});

test('lanes that may not be claimed do not hide the lanes behind them', async () => {
  const begin = Date.now() - 60_000;
  await subscribeGreedy(2_500, begin);
  await subscribeOther(10_000, begin + 1_000);
  start(40);
  await waitFor('the delivery', () => isDelivered(10_000), 30_000);
});

test('a process with as many lanes as it may hold keeps those whose leases an outage let expire', async () => {
  const begin = Date.now() - 60_000;
  await subscribeGreedy(100, begin);
  start(40);
  await waitFor('the busy lanes', async () => (await countHeld()) > 20);
  const held = await EventSubscriptionModel.collection
    .find({ 'lane.holder': { $exists: true } })
    .toArray();
  const expired = new Date(Date.now() - 1_000);
  await EventSubscriptionModel.collection.updateMany(
    { 'lane.holder': { $exists: true } },
    { $set: { 'lane.leaseUntil': expired } },
  );
  await waitFor('new leases', async () => {
    const lanes = await Promise.all(held.map(({ _id }) => storedLane(Number(_id))));
    return lanes.every((one) => one?.lane.leaseUntil && one.lane.leaseUntil > expired);
  });
  release.resolve(SENT);
  await waitFor('the deliveries', async () =>
    (await Promise.all(held.map(({ _id }) => isDelivered(Number(_id))))).every(Boolean),
  );
});

test('the lanes of a process that has died are free once their leases have expired', async () => {
  const begin = Date.now() - 60_000;
  const lease = { holder: 'dead', leaseUntil: new Date(begin) };
  await subscribe([10_000], { ...lease, dueAt: new Date(begin) });
  await subscribe([10_001], lease);
  await insertDeliveries(deliveryOf(10_000, 'R', begin, 10_000));
  start();
  await waitFor('the delivery', () => isDelivered(10_000));
  expect((await storedLane(10_001))?.lane).not.toHaveProperty('holder');
});

test('the search of free lanes reads no lane that is held', async () => {
  const begin = new Date(Date.now() - 60_000);
  const ids = Array.from({ length: 300 }, (_, n) => n + 1);
  await subscribe(ids, {
    dueAt: begin,
    holder: 'other',
    leaseUntil: new Date(Date.now() + 60_000),
  });
  await subscribe([10_000, 10_001], { dueAt: begin });
  const filter = { 'lane.holder': { $exists: false }, 'lane.dueAt': { $lte: new Date() } };
  const { executionStats } = await EventSubscriptionModel.collection
    .find(filter)
    .sort({ 'lane.dueAt': 1, _id: 1 })
    .explain('executionStats');
  expect(executionStats).toMatchObject({ totalDocsExamined: 2, totalKeysExamined: 2 });
  start();
});
