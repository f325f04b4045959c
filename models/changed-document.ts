import { type DocumentOf, field, type Index } from './define-model.ts';

/** A call or an event that follows a change. The entry is stored in the update that makes the change. */
export type OutboxEntry = { id: string; at: Date } & (
  | { call: string; params: object }
  | { event: string; delivery: 'broadcast' | 'one'; payload: object }
);

/** The fields that `mixins/changes` needs in each document of a collection, beside its `_id`. */
export const changedFields = {
  /** The number of writes of the document, from 1. A change takes effect only on the revision that it has read. */
  revision: field.number,
  updatedAt: field.date,
  /** Entries that are not carried on yet. Absent or empty without such entries. */
  outbox: field.optional(field.list(field.mixed<OutboxEntry>())),
  /** Set in a tombstone: the document was removed, and its outbox is not carried on yet. */
  removedAt: field.optional(field.date),
};
export type ChangedDocument = { _id: number | string } & DocumentOf<typeof changedFields>;

/** The index by which the carrier's sweep finds outboxes that a crash has left. It has only documents with an outbox. */
export const outboxIndex: Index = [
  { 'outbox.at': 1 },
  { partialFilterExpression: { 'outbox.at': { $exists: true } } },
];
