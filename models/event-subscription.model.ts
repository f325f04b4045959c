import type { EventType } from '../contract/outgoing-event.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/**
 * The deliveries of a subscription as the processes share them. One process at a time delivers a subscription. Its
 * writes are not changes of the subscription, so they raise no revision.
 */
const lane = {
  /** The time from which a process looks for deliveries; absent when the processes have nothing to look for. */
  dueAt: field.optional(field.date),
  /** The process that delivers; absent without such a process. */
  holder: field.optional(field.string),
  /** The end of the holder's lease, by the clock of the database. */
  leaseUntil: field.optional(field.date),
  /** The number of times that deliveries were added. Only a holder that has seen all of them takes `dueAt` away. */
  raised: field.number,
  /** About the number of deliveries that are PENDING. A lane that rests without such a delivery begins anew at 0. */
  pending: field.number,
};

/** A subscription of a workspace to its outgoing events. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  url: field.string,
  events: field.list(field.stringOf<EventType>()),
  enabled: field.boolean,
  /** The reason why the service has switched the subscription off; null unless it has. */
  disabledReason: field.nullable(field.string),
  /** The secret of the signatures, as `connections.sealTexts` seals it. */
  sealedSecret: field.string,
  /** The number of the subscription among those of its workspace, below the greatest number of them. */
  quotaSlot: field.number,
  lane: field.object(lane),
  /**
   * The time of the first failed attempt since the last successful one; absent without such a failure, and after a change of
   * `url` or `enabled`.
   */
  failingSince: field.optional(field.date),
  createdBy: actor,
  createdAt: field.date,
  ...changedFields,
};
export type EventSubscriptionDocument = DocumentOf<typeof fields>;

/** The name of the unique index by which at most one subscription of a workspace holds a quota slot. */
export const SUBSCRIPTION_QUOTA_INDEX = 'workspace_quota_slot';

export const EventSubscriptionModel = defineModel({
  name: 'EventSubscription',
  collection: 'event_subscriptions',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, _id: 1 }],
    [
      { workspaceId: 1, quotaSlot: 1 },
      {
        name: SUBSCRIPTION_QUOTA_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
    // The lanes that no process holds, from those that have been due for longest on.
    [
      { 'lane.holder': 1, 'lane.dueAt': 1, _id: 1 },
      { partialFilterExpression: { 'lane.dueAt': { $exists: true } } },
    ],
    // The leases of processes that have ended.
    [
      { 'lane.leaseUntil': 1 },
      { partialFilterExpression: { 'lane.leaseUntil': { $exists: true } } },
    ],
    // The subscriptions that fail for longest, for operators and figures.
    [
      { failingSince: 1, _id: 1 },
      { partialFilterExpression: { enabled: true, failingSince: { $exists: true } } },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});
