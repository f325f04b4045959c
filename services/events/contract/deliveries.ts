import { z } from 'zod';
import { ADMINS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { DateTime, IdText, listQuery, pageOf } from '../../../contract/fields.ts';
import { EventTypeName } from '../../../contract/outgoing-event.ts';
import { NotFound } from '../../../contract/problem.ts';
import { SubscriptionDisabled } from '../events.problems.ts';
import { deliveryExample } from './examples.ts';
import { DeliveryStatusName, EventDelivery } from './resources.ts';

const ofSubscription = {
  resource: 'event subscription',
  loader: 'eventSubscription',
  parameter: 'id',
} as const;
const ofDelivery = { resource: 'delivery', parameter: 'id' } as const;

const OF_DELIVERIES = { none: 'people decide where events are sent' } as const;

/** The operations on deliveries. */
export const deliveryActions = {
  listDeliveries: action({
    summary: 'The deliveries of an event subscription',
    description:
      'Newest first, of the last 30 days. The oldest that have ended go sooner where the events and deliveries of the workspace take more than `EVENT_BYTES_PER_WORKSPACE`. A filter that few deliveries pass may give a page with fewer deliveries than `limit`, or none, although its `Link` leads to further ones.',
    route: 'GET /event-subscriptions/:id/deliveries',
    tool: OF_DELIVERIES,
    access: { who: 'member', roles: ADMINS, in: ofSubscription },
    path: { id: IdText },
    query: {
      status: DeliveryStatusName.optional(),
      type: EventTypeName.optional().meta({ description: 'Deliveries of events of this type' }),
      from: DateTime.optional().meta({ description: 'Deliveries made at this time or later' }),
      to: DateTime.optional().meta({ description: 'Deliveries made at this time or earlier' }),
      ...listQuery,
    },
    result: pageOf(EventDelivery),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [deliveryExample] },
  }),
  replayDeliveries: action({
    summary: 'Send deliveries again',
    description:
      'Those of the subscription that match: FAILED ones unless `status` says otherwise, made between `from` and `to`. They are retried for a day from now, under the same `webhook-id`. Deliveries that are PENDING stay as they are.',
    route: 'POST /event-subscriptions/:id/deliveries/replay',
    tool: OF_DELIVERIES,
    audit: { resource: 'event-subscription' },
    access: { who: 'member', roles: ADMINS, in: ofSubscription },
    path: { id: IdText },
    body: {
      status: DeliveryStatusName.exclude(['PENDING'])
        .default('FAILED')
        .meta({ description: 'FAILED unless given' }),
      from: DateTime.optional().meta({ description: 'Deliveries made at this time or later' }),
      to: DateTime.optional().meta({ description: 'Deliveries made at this time or earlier' }),
    },
    bodyOptional: true,
    result: z.strictObject({ queued: z.int().nonnegative() }).meta({ id: 'QueuedDeliveries' }),
    status: 202,
    errors: [NotFound, SubscriptionDisabled],
    example: { body: { status: 'FAILED' }, answer: { queued: 17 } },
  }),
  replayDelivery: action({
    summary: 'Send one delivery again',
    route: 'POST /event-subscriptions/deliveries/:id/replay',
    tool: OF_DELIVERIES,
    audit: { resource: 'delivery' },
    access: { who: 'member', roles: ADMINS, in: ofDelivery },
    path: { id: IdText },
    result: EventDelivery,
    status: 202,
    errors: [NotFound, SubscriptionDisabled],
    example: {
      answer: {
        ...deliveryExample,
        status: 'PENDING',
        attempts: 1,
        nextAttemptAt: '2026-01-31T10:00:00.000Z',
      },
    },
  }),
};
