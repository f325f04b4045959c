import { model, Schema } from 'mongoose';

/** An OWNER is owed a mail about the keys that a former member of a workspace has made there. */
export interface KeyNoticeDocument {
  /** `<ownerId>:<workspaceId>:<userId>`: several departures of one member are one notice. */
  _id: string;
  ownerId: number;
  workspaceId: number;
  /** Who is no member any more. */
  userId: number;
  /** When the mail is tried next. */
  dueAt: Date;
  createdAt: Date;
}

/** Seconds after which a notice is dropped that no mail has told: there is no mail server. */
const KEPT_SECONDS = 7 * 24 * 3600;

const schema = new Schema<KeyNoticeDocument>(
  {
    _id: String,
    ownerId: Number,
    workspaceId: Number,
    userId: Number,
    dueAt: Date,
    createdAt: Date,
  },
  { versionKey: false },
);
schema.index({ dueAt: 1 });
schema.index({ ownerId: 1, createdAt: 1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const KeyNoticeModel = model<KeyNoticeDocument>('KeyNotice', schema, 'key_notices');
