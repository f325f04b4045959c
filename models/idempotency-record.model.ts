import { model, Schema } from 'mongoose';

/** The request that a caller sent with an `Idempotency-Key`, and the reply. */
export interface IdempotencyRecordDocument {
  /** The hash of caller and key. */
  _id: string;
  /** The hash of method, path, query and body. */
  fingerprint: string;
  /** The id of the resource that the request creates, the same for each attempt. */
  reservedId: number;
  /** The lease of the attempt that made the record. */
  firstLease: string;
  /** The lease of the attempt that is in flight; null without such an attempt. */
  lease: string | null;
  /** The time from which another attempt may take the lease; null without a lease. */
  leasedUntil: Date | null;
  /** The reply as JSON; null until an attempt has a reply that is stored. */
  reply: string | null;
  /** The time from which the database may delete the record. */
  expiresAt: Date;
}

const schema = new Schema<IdempotencyRecordDocument>(
  {
    _id: String,
    fingerprint: String,
    reservedId: Number,
    firstLease: String,
    lease: String,
    leasedUntil: Date,
    reply: String,
    expiresAt: Date,
  },
  { versionKey: false, strict: 'throw' },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const IdempotencyRecordModel = model<IdempotencyRecordDocument>(
  'IdempotencyRecord',
  schema,
  'idempotency_records',
);
