import { z } from 'zod';
import { Id } from './fields.ts';
import { entriesOf } from './outbox-entries.ts';

/** The types of the events that subscriptions may ask for. */
export const EVENT_TYPES = [
  'issue.created',
  'issue.updated',
  'issue.deleted',
  'run.started',
  'run.succeeded',
  'run.failed',
  'run.cancelled',
  'member.added',
  'member.removed',
  'member.role-changed',
  'flow.version-created',
  'workflow.published',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const EventTypeName = z
  .enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` })
  .meta({ id: 'EventType' });

/** The resource that an event tells of. Events of one resource are delivered in their order. */
export const EventResource = z
  .strictObject({ type: z.string(), id: z.union([Id, z.string()]) })
  .meta({ id: 'EventResource' });
export type EventResource = z.output<typeof EventResource>;

/** An event as its service renders it. `data` is the resource as its GET shows it. */
export const recordedEvents = entriesOf({
  workspaceId: Id,
  type: EventTypeName,
  resource: EventResource,
  data: z.unknown(),
});
export type RecordedEvent = z.output<typeof recordedEvents>[number];
