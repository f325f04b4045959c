import { type DocumentOf, field, type Index } from './define-model.ts';

/** A call or an event that follows a change. The entry is stored in the update that makes the change. */
export type OutboxEntry = { id: string; at: Date } & (
  | { call: string; params: object }
  | { event: string; delivery: 'broadcast' | 'one'; payload: object }
);

/** The fields that `mixins/changes` needs in each document of a collection, beside its `_id`. */
export const changedFields = {
  /** The number of changes of the document, from 1. A change takes effect only on the revision that the change has read. */
  revision: field.number,
  updatedAt: field.date,
  /** Calls and events that the carrier has not delivered yet. Absent or empty without such entries. */
  outbox: field.optional(field.list(field.mixed<OutboxEntry>())),
  /** The time of the removal, in a tombstone. The tombstone stays until its outbox is empty. */
  removedAt: field.optional(field.date),
};
export type ChangedDocument = { _id: number | string } & DocumentOf<typeof changedFields>;

/** The index of the carrier's sweep for outboxes that a crash has left. The index covers documents with an outbox only. */
export const outboxIndex: Index = [
  { 'outbox.at': 1 },
  { partialFilterExpression: { 'outbox.at': { $exists: true } } },
];
