import { model, Schema } from 'mongoose';

/** What one caller has sent with one `Idempotency-Key`, and what was answered. */
export interface IdempotencyRecordDocument {
  /** The hash of caller and key. */
  _id: string;
  /** The hash of method, path, query and body. */
  fingerprint: string;
  /** The id of what the request creates, the same for each attempt. */
  reservedId: number;
  /** The attempt that is under way, until `leasedUntil`; null while there is none. */
  lease: string | null;
  leasedUntil: Date | null;
  /** The answer, as JSON; null until there is one. */
  reply: string | null;
  expiresAt: Date;
}

const schema = new Schema<IdempotencyRecordDocument>(
  {
    _id: String,
    fingerprint: String,
    reservedId: Number,
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
