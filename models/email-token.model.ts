import { model, Schema } from 'mongoose';

/** The registration for a directory entry that takes effect when its mail is answered. */
export interface PendingRegistration {
  passwordHash: string;
  firstName: string;
  lastName: string;
}

/** A token mailed to an address: whoever returns it reads that mailbox. */
export interface EmailTokenDocument {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  /** The address that the token was mailed to, and the only one that it verifies. */
  emailKey: string;
  pending: PendingRegistration | null;
  /** When the token's mail was stored in the outbox; null until then. */
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
