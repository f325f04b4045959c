import { model, Schema } from 'mongoose';

export interface RefreshTokenDocument {
  /** SHA-256 of the token: who reads the database can refresh nothing. */
  _id: string;
  sessionId: string;
  userId: number;
  createdAt: Date;
  expiresAt: Date;
  /** A used token is kept, so that its second use is known for what it is. */
  usedAt: Date | null;
  /** The signing key from which the successor is derived; absent before the first use. */
  successorKid?: string;
}

const schema = new Schema<RefreshTokenDocument>(
  {
    _id: String,
    sessionId: String,
    userId: Number,
    createdAt: Date,
    expiresAt: Date,
    usedAt: { type: Date, default: null },
    successorKid: String,
  },
  { versionKey: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const RefreshTokenModel = model<RefreshTokenDocument>(
  'RefreshToken',
  schema,
  'refresh_tokens',
);
