import { model, Schema } from 'mongoose';

/** A mail that was not sent, for a developer to read. Never in production: it holds tokens. */
export interface OutboxMailDocument {
  _id: number;
  to: string;
  toKey: string;
  subject: string;
  text: string;
  token: string | null;
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
    token: { type: String, default: null },
    createdAt: Date,
  },
  { versionKey: false },
);
schema.index({ toKey: 1, createdAt: -1, _id: -1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const OutboxMailModel = model<OutboxMailDocument>('OutboxMail', schema, 'outbox_mails');
