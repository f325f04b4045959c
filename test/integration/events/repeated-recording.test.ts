import type { ServiceBroker } from 'moleculer';
import { Carrier } from '../../../mixins/changes/carrier.ts';
import { outboxEntryOf } from '../../../mixins/changes/outbox.ts';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { IssueModel } from '../../../models/issue.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import type { Params } from '../../../services/contracts.ts';
import { recordEvents } from '../../../services/events/recording/record-events.ts';
import { findWanted } from '../../../services/events/recording/wanted.ts';
import { issues } from '../../../services/issues/issues.store.ts';
import {
  pendingEntriesFinder,
  publishEvents,
} from '../../../services/outgoing-events/publish-events.ts';
import { useDatabase } from '../../helpers/database.ts';
import { insertSubscription } from './delivering.ts';

useDatabase([IssueModel, EventSubscriptionModel, EventDeliveryModel, OutgoingEventModel]);
afterEach(() => jest.restoreAllMocks());

const ACTION = 'issues.publishEvents';
const publisher = {
  service: 'issues',
  action: ACTION,
  findPending: pendingEntriesFinder(issues.collection, ACTION),
  resourceOf: () => ({ type: 'issue', id: 1 }),
  render: (entries: readonly object[]) => entries.map(() => ({ id: 1 })),
};

/** A broker that carries out the calls of a publication without services. */
const broker = {
  logger: { error: () => undefined, warn: () => undefined },
  async call(action: string, params: never) {
    if (action === 'events.wanted') {
      return findWanted((params as Params<'events.wanted'>).workspaceIds);
    }
    if (action === 'events.record') {
      return recordEvents((params as Params<'events.record'>).entries, async () => undefined);
    }
    return publishEvents((params as Params<'issues.publishEvents'>).entries, broker, publisher);
  },
} as unknown as ServiceBroker;

test('events that are recorded when their process dies, before they leave the outbox, are kept once', async () => {
  await insertSubscription(1);
  const params = { documentId: 1, workspaceId: 1, type: 'issue.updated', snapshot: {} };
  const outbox = [100_000, 90_000].map((age) =>
    outboxEntryOf({ call: ACTION, params }, new Date(Date.now() - age)),
  );
  await IssueModel.collection.insertOne({ _id: 1, outbox } as never);

  const settle = jest.spyOn(issues.collection, 'updateMany').mockImplementation(async () => {
    throw new Error('the process was killed');
  });
  await expect(new Carrier(broker, 'issues', issues).sweep()).rejects.toThrow('killed');
  const recorded = await EventDeliveryModel.find().sort({ position: 1 }).lean();
  expect(recorded.map(({ eventId }) => eventId)).toEqual(outbox.map(({ id }) => id));

  settle.mockRestore();
  await new Carrier(broker, 'issues', issues).sweep();
  expect(await EventDeliveryModel.find().sort({ position: 1 }).lean()).toEqual(recorded);
  expect(await OutgoingEventModel.countDocuments()).toBe(2);
  expect((await EventSubscriptionModel.findById(1).lean())?.lane.pending).toBe(2);
  expect((await IssueModel.findById(1).lean())?.outbox).toEqual([]);
});
