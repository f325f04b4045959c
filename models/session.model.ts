import { model, Schema } from 'mongoose';

/** A sign-in and everything refreshed from it: its refresh tokens are one family. */
export interface SessionDocument {
  _id: string;
  userId: number;
  /** The user's `sessionEpoch` when it began, or a later one. Absent for 0. */
  epoch?: number;
  createdAt: Date;
  /** Moves on with each refresh; the session is forgotten then. */
  expiresAt: Date;
  revokedAt: Date | null;
}

const schema = new Schema<SessionDocument>(
  {
    _id: String,
    userId: Number,
    epoch: Number,
    createdAt: Date,
    expiresAt: Date,
    revokedAt: { type: Date, default: null },
  },
  { versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const SessionModel = model<SessionDocument>('Session', schema, 'sessions');
