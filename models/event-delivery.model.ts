import type { EventResource, EventType } from '../contract/outgoing-event.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { EVENT_RETENTION_SECONDS } from './outgoing-event.model.ts';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The answer of a receiver to the latest attempt. */
const response = field.object({
  status: field.number,
  /** The first 4 KiB of the body. */
  body: field.string,
  durationMs: field.number,
});

/** An event on its way to a subscription. */
const fields = {
  _id: field.number,
  subscriptionId: field.number,
  workspaceId: field.number,
  /** The id of the outgoing event, which has the text that is sent. */
  eventId: field.string,
  type: field.stringOf<EventType>(),
  resource: field.object({ type: field.string, id: field.mixed<EventResource['id']>() }),
  /** The same resource as one text. */
  resourceKey: field.string,
  /** The place among the deliveries of the resource; see `OutgoingEventModel`. */
  position: field.number,
  status: field.stringOf<DeliveryStatus>(),
  /** Attempts so far. A write after an attempt counts only while the number is the one before the attempt. */
  attempts: field.number,
  /** Failed attempts since the recording, or since the last replay. */
  failures: field.number,
  /** The time from which the next attempt is due, for a first one before its event; absent unless PENDING. */
  nextAttemptAt: field.optional(field.date),
  /** The resource, while the delivery waits after a failed attempt: later deliveries of the resource wait as well. */
  backoffKey: field.optional(field.string),
  /** The time from which a failed attempt is the last one. */
  giveUpAt: field.date,
  /** Null before the first answer, and after an attempt without an answer. */
  response: field.nullable(response),
  /** The time of the event. */
  createdAt: field.date,
};
export type EventDeliveryDocument = DocumentOf<typeof fields>;

export const EventDeliveryModel = defineModel({
  name: 'EventDelivery',
  collection: 'event_deliveries',
  fields,
  indexes: [
    [{ subscriptionId: 1, eventId: -1 }, { unique: true }],
    [
      { subscriptionId: 1, nextAttemptAt: 1, position: 1 },
      { partialFilterExpression: { nextAttemptAt: { $exists: true } } },
    ],
    [
      { subscriptionId: 1, backoffKey: 1 },
      { partialFilterExpression: { backoffKey: { $exists: true } } },
    ],
    // The oldest delivery that waits after a failed attempt, for figures.
    [{ createdAt: 1, _id: 1 }, { partialFilterExpression: { backoffKey: { $exists: true } } }],
    // The ended deliveries of a workspace from the oldest on, and all deliveries of an event.
    [{ workspaceId: 1, status: 1, eventId: 1 }],
    [{ createdAt: 1 }, { expireAfterSeconds: EVENT_RETENTION_SECONDS }],
  ],
  lifecycle: {
    workspace: {
      removeWith: 'event_subscriptions',
      where: (subscriptionId) => ({ subscriptionId }),
    },
    person: { keep: 'deliveries name no person' },
  },
});
