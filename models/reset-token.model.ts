import { model, Schema } from 'mongoose';

/** A token mailed to a verified address: whoever returns it may set a new password. */
export interface ResetTokenDocument {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  emailKey: string;
  /** The user's `resetEpoch` when it was made. A session cannot change that, so that a thief's cannot end the token. */
  resetEpoch: number;
  createdAt: Date;
  expiresAt: Date;
}

const schema = new Schema<ResetTokenDocument>(
  {
    _id: String,
    userId: Number,
    emailKey: String,
    resetEpoch: Number,
    createdAt: Date,
    expiresAt: Date,
  },
  { versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const ResetTokenModel = model<ResetTokenDocument>('ResetToken', schema, 'reset_tokens');
