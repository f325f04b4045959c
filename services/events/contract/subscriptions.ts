import { z } from 'zod';
import { ADMINS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, pageOf } from '../../../contract/fields.ts';
import { EVENT_TYPES, EventTypeName } from '../../../contract/outgoing-event.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { subscriptionExample } from './examples.ts';
import { EventSubscription, NewEventSubscription } from './resources.ts';
import { SubscriptionSecret, SubscriptionUrl } from './subscription-fields.ts';

const inWorkspace = { parameter: 'workspaceId' } as const;
const ofSubscription = {
  resource: 'event subscription',
  loader: 'eventSubscription',
  parameter: 'id',
} as const;
const events = z
  .array(EventTypeName)
  .min(1, 'must name at least one event')
  .max(EVENT_TYPES.length, `must name at most ${EVENT_TYPES.length} events`)
  .meta({ description: 'The types of events that are sent' });
const NO_GET = { none: 'no GET shows a single subscription' } as const;

const OF_SUBSCRIPTIONS = { none: 'people decide where events are sent' } as const;

/** The operations on subscriptions. */
export const subscriptionActions = {
  createSubscription: action({
    summary: 'Subscribe to events of a workspace',
    description:
      'Each event is sent by POST to the URL, signed as Standard Webhooks says. The secret is shown in this answer and never again.',
    route: 'POST /workspaces/:workspaceId/event-subscriptions',
    tool: OF_SUBSCRIPTIONS,
    audit: { resource: 'event-subscription' },
    uncontended: true,
    idempotency: { sequence: 'event_subscriptions' },
    shownOnce: ['secret'],
    access: { who: 'member', roles: ADMINS, in: inWorkspace },
    path: { workspaceId: IdText },
    body: { url: SubscriptionUrl, events, secret: SubscriptionSecret.optional() },
    result: NewEventSubscription,
    status: 201,
    errors: [NotFound, QuotaReached],
    example: {
      body: { url: subscriptionExample.url, events: subscriptionExample.events },
      answer: { ...subscriptionExample, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    },
  }),
  listSubscriptions: action({
    summary: 'The event subscriptions of a workspace',
    route: 'GET /workspaces/:workspaceId/event-subscriptions',
    tool: OF_SUBSCRIPTIONS,
    access: { who: 'member', roles: ADMINS, in: inWorkspace },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(EventSubscription),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [subscriptionExample] },
  }),
  updateSubscription: action({
    summary: 'Change an event subscription',
    description:
      'Only what is given changes. Switching it off makes its pending deliveries FAILED, and while it is off no events are recorded for it. Switching it on clears `disabledReason`.',
    route: 'PUT /event-subscriptions/:id',
    tool: OF_SUBSCRIPTIONS,
    audit: { resource: 'event-subscription' },
    etag: NO_GET,
    access: { who: 'member', roles: ADMINS, in: ofSubscription },
    path: { id: IdText },
    body: {
      workspaceId: Id.optional(),
      url: SubscriptionUrl.optional(),
      events: events.optional(),
      enabled: z
        .boolean()
        .optional()
        .meta({ description: 'Whether events are sent; true ends a pause after failures' }),
    },
    readOnly: ['disabledReason', 'createdBy', 'createdAt', 'updatedAt'],
    result: EventSubscription,
    errors: [NotFound],
    example: { body: { enabled: false }, answer: { ...subscriptionExample, enabled: false } },
  }),
  removeSubscription: action({
    summary: 'Delete an event subscription and its deliveries',
    route: 'DELETE /event-subscriptions/:id',
    tool: OF_SUBSCRIPTIONS,
    audit: { resource: 'event-subscription' },
    etag: NO_GET,
    access: { who: 'member', roles: ADMINS, in: ofSubscription },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
