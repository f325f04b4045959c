import { type DocumentOf, field, type Index } from './define-model.ts';

/** What is to follow a change: a call that is acknowledged, or an event. It is stored with the change. */
export type OutboxEntry = { id: string; at: Date } & (
  | { call: string; params: object }
  | { event: string; delivery: 'broadcast' | 'one'; payload: object }
);

/** The fields that `mixins/changes` needs in each document of a collection, beside its `_id`. */
export const changedFields = {
  /** How often the document was written: 1 when it is created. A change counts only for the revision it has read. */
  revision: field.number,
  updatedAt: field.date,
  /** What has not been carried on yet; absent or empty otherwise. */
  outbox: field.optional(field.list(field.mixed<OutboxEntry>())),
  /** Set in a tombstone: the document was removed, and its outbox is not carried on yet. */
  removedAt: field.optional(field.date),
};
export type ChangedDocument = { _id: number | string } & DocumentOf<typeof changedFields>;

/** The carrier's sweep finds what a crash has left by this index; documents without an outbox are not in it. */
export const outboxIndex: Index = [
  { 'outbox.at': 1 },
  { partialFilterExpression: { 'outbox.at': { $exists: true } } },
];
