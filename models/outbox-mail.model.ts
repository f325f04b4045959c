import { model, Schema } from 'mongoose';

export type MailState = 'PENDING' | 'SENT' | 'FAILED';

/** A mail that is to be sent, or has been. */
export interface OutboxMailDocument {
  _id: number;
  to: string;
  toKey: string;
  subject: string;
  /** Absent once the mail is SENT or FAILED: it may hold a token. */
  text?: string;
  token?: string | null;
  /** Absent in a mail of earlier data, which is never sent. */
  state?: MailState;
  /** How often a process has begun to send the mail. The number names the lease of the last attempt. */
  attempts?: number;
  /** When the mail is due, or when the lease of an attempt under way ends. Absent unless PENDING. */
  nextAttemptAt?: Date;
  /** The mail is useless from then on. */
  giveUpAt?: Date;
  sentAt?: Date;
  /** Why the last attempt failed, in the words of the transport. */
  failure?: string;
  createdAt: Date;
}

const KEPT_SECONDS = 7 * 24 * 3600;

const schema = new Schema<OutboxMailDocument>(
  {
    _id: Number,
    to: String,
    toKey: String,
    subject: String,
    text: String,
    token: String,
    state: String,
    attempts: Number,
    nextAttemptAt: Date,
    giveUpAt: Date,
    sentAt: Date,
    failure: String,
    createdAt: Date,
  },
  { versionKey: false },
);
schema.index({ toKey: 1, createdAt: -1, _id: -1 });
schema.index(
  { nextAttemptAt: 1 },
  { partialFilterExpression: { nextAttemptAt: { $exists: true } } },
);
schema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const OutboxMailModel = model<OutboxMailDocument>('OutboxMail', schema, 'outbox_mails');
