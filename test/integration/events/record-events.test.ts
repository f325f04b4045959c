import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { recordEvents } from '../../../services/events/recording/record-events.ts';
import { insertSubscription, useDeliveries } from './delivering.ts';

useDeliveries();

const WORKSPACE = 1;
const event = (id: string, { at = 1, workspaceId = WORKSPACE, issueId = 7 } = {}) => ({
  id,
  at: new Date(at).toISOString(),
  workspaceId,
  type: 'issue.updated' as const,
  resource: { type: 'issue', id: issueId },
  data: { id: issueId, at },
});

let woken: number[][] = [];
const record = async (...events: ReturnType<typeof event>[]) => {
  woken = [];
  await recordEvents(events, async (ids) => void woken.push([...ids]));
};

const laneOf = async (_id: number) => (await EventSubscriptionModel.findById(_id).lean())?.lane;
const deliveriesOf = (subscriptionId: number) =>
  EventDeliveryModel.find({ subscriptionId }).sort({ position: 1 }).lean();
const eventIds = (rows: { eventId: string }[]) => rows.map(({ eventId }) => eventId);

test('each enabled subscription that asks for an event gets one delivery, however often it is recorded', async () => {
  await insertSubscription(1);
  await insertSubscription(2);
  await insertSubscription(3, { enabled: false });
  await insertSubscription(4, { events: ['run.failed'] });
  await insertSubscription(5, { workspaceId: 2 });
  await record(event('a'), event('b', { at: 2 }));
  await record(event('a'), event('b', { at: 2 }));
  const counts = await Promise.all(
    [1, 2, 3, 4, 5].map(async (id) => (await deliveriesOf(id)).length),
  );
  expect(counts).toEqual([2, 2, 0, 0, 0]);
  expect(await laneOf(1)).toMatchObject({ pending: 2, dueAt: expect.any(Date) });
});

test('the repetition of a recording that ended before its last step wakes the deliveries', async () => {
  await insertSubscription(1);
  await record(event('a'));
  // as the end of the process between the insert of deliveries and the raise of their lanes leaves the lane
  await EventSubscriptionModel.collection.updateOne({ _id: 1 } as never, {
    $unset: { 'lane.dueAt': '' },
    $set: { 'lane.raised': 0, 'lane.pending': 0 },
  });
  await record(event('a'));
  expect(await laneOf(1)).toMatchObject({ raised: 1, dueAt: expect.any(Date) });
  expect(woken).toEqual([[1]]);
  expect(await deliveriesOf(1)).toHaveLength(1);
});

test('events of a resource keep the order of their recordings, whatever the clocks of processes say', async () => {
  await insertSubscription(1);
  await record(event('first', { at: 5_000 }));
  await record(event('second', { at: 2_000 }), event('third', { at: 2_001 }));
  await record(event('other', { at: 1_000, issueId: 8 }));
  await record(event('second', { at: 2_000 }), event('fourth', { at: 6_000 }));
  const ofIssue = (await deliveriesOf(1)).filter(({ resource }) => resource.id === 7);
  expect(eventIds(ofIssue)).toEqual(['first', 'second', 'third', 'fourth']);
});

test('deliveries for a subscription that was removed meanwhile do not stay', async () => {
  await insertSubscription(1);
  await insertSubscription(2);
  const find = jest.spyOn(EventDeliveryModel.collection, 'insertMany');
  find.mockImplementationOnce(async (...args) => {
    await EventSubscriptionModel.collection.deleteOne({ _id: 2 } as never);
    find.mockRestore();
    return EventDeliveryModel.collection.insertMany(...args);
  });
  await record(event('a'));
  expect(await deliveriesOf(2)).toEqual([]);
  expect(await deliveriesOf(1)).toHaveLength(1);
});
