import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { Id, ShownOnce, Timestamp } from '../../../contract/fields.ts';
import { EventResource, EventTypeName } from '../../../contract/outgoing-event.ts';
import { DELIVERY_STATUSES } from '../../../models/event-delivery.model.ts';

export const EventSubscription = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    url: z.string(),
    events: z.array(EventTypeName),
    enabled: z.boolean(),
    disabledReason: z.string().nullable().meta({
      description: 'Why the service has switched the subscription off; null unless it has',
    }),
    createdBy: ActorRecord,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'EventSubscription' });
export type EventSubscription = z.output<typeof EventSubscription>;

export const NewEventSubscription = EventSubscription.extend({ secret: ShownOnce }).meta({
  id: 'NewEventSubscription',
});

export const DeliveryStatusName = z
  .enum(DELIVERY_STATUSES, { error: `must be one of ${DELIVERY_STATUSES.join(', ')}` })
  .meta({ id: 'DeliveryStatus', description: 'Whether an event has reached its receiver' });

export const EventDelivery = z
  .strictObject({
    id: Id,
    subscriptionId: Id,
    type: EventTypeName,
    resource: EventResource,
    status: DeliveryStatusName,
    attempts: z.int().nonnegative(),
    nextAttemptAt: Timestamp.nullable(),
    response: z
      .strictObject({
        status: z.int(),
        body: z.string().meta({ description: 'The first 4 KiB' }),
        durationMs: z.int().nonnegative(),
      })
      .nullable()
      .meta({ description: 'The answer to the latest attempt; null without an answer' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'EventDelivery' });
export type EventDelivery = z.output<typeof EventDelivery>;
