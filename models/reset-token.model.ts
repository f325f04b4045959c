import { model, Schema } from 'mongoose';

/** A token mailed to a verified address: whoever returns it may set a new password. */
export interface ResetTokenDocument {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  emailKey: string;
  /** The user's `sessionEpoch` when it was made: a change of the password since then ends it. */
  epoch: number;
  createdAt: Date;
  expiresAt: Date;
}

const schema = new Schema<ResetTokenDocument>(
  {
    _id: String,
    userId: Number,
    emailKey: String,
    epoch: Number,
    createdAt: Date,
    expiresAt: Date,
  },
  { versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const ResetTokenModel = model<ResetTokenDocument>('ResetToken', schema, 'reset_tokens');
