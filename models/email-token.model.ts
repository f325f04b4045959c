import { model, Schema } from 'mongoose';

/** What a registration for a directory entry will change once its mail is answered. */
export interface PendingRegistration {
  passwordHash: string;
  firstName: string;
  lastName: string;
}

/** A token mailed to an address: who returns it reads that mailbox. */
export interface EmailTokenDocument {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  /** The address it was mailed to; it proves that one and no other. */
  emailKey: string;
  pending: PendingRegistration | null;
  /** When its mail had been handed over; null until then. */
  mailedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

const pending = new Schema<PendingRegistration>(
  { passwordHash: String, firstName: String, lastName: String },
  { _id: false },
);
const schema = new Schema<EmailTokenDocument>(
  {
    _id: String,
    userId: Number,
    emailKey: String,
    pending: { type: pending, default: null },
    mailedAt: { type: Date, default: null },
    createdAt: Date,
    expiresAt: Date,
  },
  { versionKey: false },
);
schema.index({ userId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const EmailTokenModel = model<EmailTokenDocument>('EmailToken', schema, 'email_tokens');
