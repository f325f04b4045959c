import type { EventDeliveryDocument } from '../../../models/event-delivery.model.ts';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import {
  type EventSubscriptionDocument,
  EventSubscriptionModel,
} from '../../../models/event-subscription.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import type { AttemptResult, DeliveryResult } from '../../../services/events/delivering/attempt.ts';
import { Deliverer, type DelivererOptions } from '../../../services/events/delivering/deliverer.ts';
import type { PendingDelivery } from '../../../services/events/delivering/lanes/pending-deliveries.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { ownShareOf } from '../../helpers/own-share.ts';

export const SENT: AttemptResult = {
  outcome: 'delivered',
  response: { status: 200, body: '', durationMs: 1 },
};
export const REFUSED: AttemptResult = {
  outcome: 'failed',
  response: { status: 503, body: '', durationMs: 1 },
};

/** Gives the tests of a file a database for deliveries, which is empty at the beginning of each test. */
export const useDeliveries = () =>
  useEmptyDatabase([EventSubscriptionModel, EventDeliveryModel, OutgoingEventModel]);

/** Starts a deliverer whose attempts end as `send` says. Each workspace has an owner of its own unless `shareOf` is given. */
export function startDeliverer(
  send: (delivery: PendingDelivery) => Promise<DeliveryResult>,
  options: Partial<DelivererOptions> = {},
): Deliverer {
  const deliverer = new Deliverer({
    sender: {
      send: async (delivery, _lane, mayBegin) => (mayBegin() ? send(delivery) : null),
      stop: async () => undefined,
      inFlight: 0,
    },
    switchOff: async () => undefined,
    shareOf: ownShareOf,
    now: () => Date.now(),
    ...options,
  });
  deliverer.start();
  return deliverer;
}

/** An enabled subscription of workspace 1 for `issue.updated`, unless the fields say otherwise. */
const subscriptionOf = (_id: number, fields: object) =>
  ({
    _id,
    workspaceId: 1,
    url: 'https://receiver.test/',
    events: ['issue.updated'],
    enabled: true,
    revision: 1,
    lane: { raised: 0, pending: 0 },
    ...fields,
  }) as never;

/** Inserts a subscription of `subscriptionOf`. */
export const insertSubscription = (_id: number, fields: object = {}) =>
  EventSubscriptionModel.collection.insertOne(subscriptionOf(_id, fields));

/** Inserts subscriptions with the same lane. */
export const subscribe = (
  ids: readonly number[],
  lane: Partial<EventSubscriptionDocument['lane']> = {},
  workspaceOf: (id: number) => number = () => 1,
) =>
  EventSubscriptionModel.collection.insertMany(
    ids.map((id) =>
      subscriptionOf(id, {
        workspaceId: workspaceOf(id),
        lane: { raised: 0, pending: 0, ...lane },
      }),
    ),
  );

/** The subscription with its lane as stored. */
export const storedLane = (_id: number) =>
  EventSubscriptionModel.collection.findOne<
    Pick<EventSubscriptionDocument, 'lane' | 'failingSince'>
  >({ _id } as never);

/** A pending delivery of subscription 1 unless another is given. */
export const deliveryOf = (
  _id: number,
  resourceKey: string,
  at: number,
  subscriptionId = 1,
): EventDeliveryDocument => ({
  _id,
  subscriptionId,
  workspaceId: 1,
  eventId: `event ${_id}`,
  type: 'issue.updated',
  resource: { type: 'issue', id: 1 },
  resourceKey,
  position: at * 1_000,
  status: 'PENDING',
  attempts: 0,
  failures: 0,
  nextAttemptAt: new Date(at),
  giveUpAt: new Date(Date.now() + 86_400_000),
  response: null,
  createdAt: new Date(at),
});

export const insertDeliveries = (...rows: EventDeliveryDocument[]) =>
  EventDeliveryModel.collection.insertMany(rows as never[]);

export const storedDelivery = (_id: number) =>
  EventDeliveryModel.findById(_id).lean<EventDeliveryDocument>();
