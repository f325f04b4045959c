import { Schema } from 'mongoose';

/** What is to follow a change: a call that is acknowledged, or an event. It is stored with the change. */
export type OutboxEntry = { id: string; at: Date } & (
  | { call: string; params: object }
  | { event: string; delivery: 'broadcast' | 'one'; payload: object }
);

/** The fields that `mixins/changes` needs in each document of a collection. */
export interface ChangedDocument {
  _id: number | string;
  /** How often the document was written: 1 when it is created. A change counts only for the revision it has read. */
  revision: number;
  updatedAt: Date;
  /** What has not been carried on yet; absent or empty otherwise. */
  outbox?: OutboxEntry[];
  /** Set in a tombstone: the document was removed, and its outbox is not carried on yet. */
  removedAt?: Date;
}

/** The schema of the fields of `ChangedDocument` that no resource shows. */
export const changedFields = {
  revision: Number,
  outbox: { type: [Schema.Types.Mixed], default: undefined },
  removedAt: Date,
} as const;

/** The carrier's sweep finds what a crash has left by this index; documents without an outbox are not in it. */
export function indexOutbox<T>(schema: Schema<T>): void {
  schema.index({ 'outbox.at': 1 }, { partialFilterExpression: { 'outbox.at': { $exists: true } } });
}
