import { type DocumentOf, defineModel, field } from './define-model.ts';

/** Seconds that events and their deliveries are kept, 30 days; then the database removes them. */
export const EVENT_RETENTION_SECONDS = 30 * 24 * 3600;

/** An event that some subscription has asked for. All of its deliveries send the same text. */
const fields = {
  /** The id of the outbox entry. Ids are in the order of their times. */
  _id: field.string,
  workspaceId: field.number,
  /** The resource that the event tells of, as `resourceKeyOf` names it. */
  resourceKey: field.string,
  /** The place of the event among those of its resource: microseconds since the epoch, later than all before it. */
  position: field.number,
  /** The JSON text that is sent: `{type, timestamp, workspaceId, data}`. */
  body: field.string,
  /** Bytes that the workspace had recorded with this event; see `EventUsageModel`. */
  recorded: field.number,
  /** The time of the change. */
  createdAt: field.date,
};
export type OutgoingEventDocument = DocumentOf<typeof fields>;

export const OutgoingEventModel = defineModel({
  name: 'OutgoingEvent',
  collection: 'outgoing_events',
  fields,
  indexes: [
    [{ resourceKey: 1, position: 1 }],
    [{ workspaceId: 1, recorded: 1 }],
    [{ createdAt: 1 }, { expireAfterSeconds: EVENT_RETENTION_SECONDS }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'events are kept 30 days, as they were sent' },
  },
});
