import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The request that a caller sent with an `Idempotency-Key`, and the reply. */
const fields = {
  /** The hash of caller and key. */
  _id: field.string,
  /** The hash of method, path, query and body. */
  fingerprint: field.string,
  /** The id of the resource that the request creates, the same for each attempt; null where it creates none. */
  reservedId: field.nullable(field.number),
  /** The lease of the attempt that is in flight; null without such an attempt. */
  lease: field.nullable(field.string),
  /** The lease of the first attempt. */
  firstLease: field.string,
  /** The time from which another attempt may take the lease; null without a lease. */
  leasedUntil: field.nullable(field.date),
  /** The reply, sealed with a key that only the client's request yields; null until the reply of an attempt is stored. */
  reply: field.nullable(field.string),
  /** The time from which the database may delete the record. */
  expiresAt: field.date,
};
export type IdempotencyRecordDocument = DocumentOf<typeof fields>;

export const IdempotencyRecordModel = defineModel({
  name: 'IdempotencyRecord',
  collection: 'idempotency_records',
  fields,
  indexes: [[{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a record expires within 24 h, and a replay needs access to the workspace' },
    person: {
      keep: 'only the request of the client opens a reply, and a record expires within 24 h',
    },
  },
});
