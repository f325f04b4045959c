import { isProblem, Unavailable } from '../../../contract/problem.ts';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { EventUsageModel } from '../../../models/event-usage.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import { recordEvents } from '../../../services/events/recording/record-events.ts';
import { removeDeliveries } from '../../../services/events/retention/remove-deliveries.ts';
import { WorkspaceBound } from '../../../services/events/retention/workspace-bound.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { comes } from '../../helpers/wait.ts';
import { subscribe } from './delivering.ts';

const MODELS = [EventSubscriptionModel, EventDeliveryModel, OutgoingEventModel, EventUsageModel];
/** Bytes of ten events with two deliveries each, about: 10 KiB for the deliveries, 1 KiB for the text. */
const LIMIT = 110 * 1024;

useEmptyDatabase(MODELS);
beforeEach(async () => {
  await subscribe([1, 2]);
  await subscribe([3, 4], {}, () => 2);
});

const idOf = (workspaceId: number, at: number) => `${workspaceId}-${String(at).padStart(4, '0')}`;

/** Records an event of each time, in that order, and lets the deliveries end. */
async function recordEach(workspaceId: number, times: readonly number[], bound?: WorkspaceBound) {
  for (const at of times) {
    const entry = {
      id: idOf(workspaceId, at),
      at: new Date(at).toISOString(),
      workspaceId,
      type: 'issue.updated' as const,
      resource: { type: 'issue', id: 7 },
      data: { text: 'a'.repeat(900) },
    };
    await recordEvents([entry], async () => undefined, bound?.note);
    await EventDeliveryModel.collection.updateMany(
      { eventId: entry.id },
      { $set: { status: at % 2 ? 'DELIVERED' : 'FAILED' }, $unset: { nextAttemptAt: '' } },
    );
  }
}
const makePending = (workspaceId: number, at: number, subscriptionId: number) =>
  EventDeliveryModel.collection.updateOne(
    { eventId: idOf(workspaceId, at), subscriptionId },
    { $set: { status: 'PENDING', nextAttemptAt: new Date() } },
  );
const times = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const eventsOf = async (workspaceId: number) =>
  (await OutgoingEventModel.find({ workspaceId }).sort({ _id: 1 }).lean()).map(({ _id }) => _id);
const deliveredTo = async (subscriptionId: number) =>
  (await EventDeliveryModel.find({ subscriptionId }).sort({ eventId: 1 }).lean()).map(
    ({ eventId }) => eventId,
  );

test('beyond the limit the oldest deliveries that have ended go, with events that no delivery has any more', async () => {
  await recordEach(1, times(1, 20));
  await recordEach(2, times(1, 8));
  await makePending(1, 3, 2);
  const bound = new WorkspaceBound(LIMIT);
  await recordEach(2, [9], bound);
  await recordEach(1, [21], bound);
  const newest = times(11, 21).map((at) => idOf(1, at));
  const isTrimmed = async () => (await deliveredTo(1)).length <= newest.length;
  expect(await comes(isTrimmed, 10_000)).toBe(true);
  await bound.stop();
  expect(await deliveredTo(1)).toEqual(newest);
  expect(await deliveredTo(2)).toEqual([idOf(1, 3), ...(await deliveredTo(1))]);
  expect(await eventsOf(1)).toEqual(await deliveredTo(2));
  expect(await eventsOf(2)).toHaveLength(9);
  expect(await deliveredTo(3)).toHaveLength(9);
});

test('deliveries that were pending beyond the limit go once they have ended, without a further event', async () => {
  await recordEach(1, times(1, 20));
  await EventDeliveryModel.collection.updateMany(
    { eventId: { $in: times(1, 8).map((at) => idOf(1, at)) } },
    { $set: { status: 'PENDING' } },
  );
  const bound = new WorkspaceBound(LIMIT, 50);
  await recordEach(1, [21], bound);
  expect(await comes(async () => !(await deliveredTo(1)).includes(idOf(1, 9)), 10_000)).toBe(true);
  expect(await deliveredTo(1)).toContain(idOf(1, 8));
  await EventDeliveryModel.collection.updateMany(
    { status: 'PENDING' },
    { $set: { status: 'DELIVERED' } },
  );
  const newest = times(11, 21).map((at) => idOf(1, at));
  expect(await comes(async () => (await eventsOf(1)).length <= newest.length, 10_000)).toBe(true);
  await bound.stop();
  expect(await deliveredTo(1)).toEqual(newest);
});

test('a workspace that goes on recording stays below the limit; without a limit nothing goes', async () => {
  const bound = new WorkspaceBound(LIMIT);
  await recordEach(1, times(1, 60), bound);
  expect(await comes(async () => (await eventsOf(1)).length <= 11, 10_000)).toBe(true);
  await bound.stop();
  const free = new WorkspaceBound(null);
  await recordEach(2, times(1, 30), free);
  await free.stop();
  expect(await eventsOf(2)).toHaveLength(30);
});

test('of two subscriptions that are removed at once, no event stays', async () => {
  await recordEach(1, times(1, 50));
  await Promise.all([removeDeliveries([1]), removeDeliveries([2])]);
  expect(await eventsOf(1)).toEqual([]);
});

test('a repeated recording adds nothing to the bytes of a workspace', async () => {
  await recordEach(1, [1]);
  const recorded = async () => (await EventUsageModel.findById(1).lean())?.recorded;
  const once = await recorded();
  await recordEach(1, [1, 1, 1]);
  expect(await recorded()).toBe(once);
});

test('the deliveries of a removed subscription take along the events that no other subscription has', async () => {
  await recordEach(1, times(1, 3));
  await EventDeliveryModel.collection.deleteOne({ subscriptionId: 2, eventId: idOf(1, 2) });
  await removeDeliveries([1]);
  expect(await deliveredTo(1)).toEqual([]);
  expect(await eventsOf(1)).toEqual([idOf(1, 1), idOf(1, 3)]);
  await removeDeliveries([2]);
  expect(await eventsOf(1)).toEqual([]);
});

test('a removal whose time is over goes on at its repetition', async () => {
  const rows = times(1, 2_500).map((at) => ({
    _id: at,
    subscriptionId: 1,
    workspaceId: 1,
    eventId: idOf(1, at),
    status: 'DELIVERED',
  }));
  await EventDeliveryModel.collection.insertMany(rows as never[]);
  const left: number[] = [];
  for (let done = false; !done; ) {
    done = await removeDeliveries([1], 0).then(
      () => true,
      (error) => {
        if (!isProblem(error, Unavailable)) throw error;
        return false;
      },
    );
    left.push((await deliveredTo(1)).length);
  }
  expect(left.length).toBeGreaterThan(1);
  expect(left.at(-1)).toBe(0);
});
