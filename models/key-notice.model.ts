import { type DocumentOf, defineModel, field } from './define-model.ts';

/** An OWNER is owed a mail about the keys that a former member of a workspace has made there. */
const fields = {
  /** `<ownerId>:<workspaceId>:<userId>`: several departures of one member are one notice. */
  _id: field.string,
  ownerId: field.number,
  workspaceId: field.number,
  /** Who is no member any more. */
  userId: field.number,
  /** When the mail is tried next. */
  dueAt: field.date,
  createdAt: field.date,
};
export type KeyNoticeDocument = DocumentOf<typeof fields>;

/** Seconds after which a notice is dropped that no mail has told: there is no mail server. */
const KEPT_SECONDS = 7 * 24 * 3600;

export const KeyNoticeModel = defineModel({
  name: 'KeyNotice',
  collection: 'key_notices',
  fields,
  indexes: [
    [{ dueAt: 1 }],
    [{ ownerId: 1, createdAt: 1 }],
    [{ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS }],
  ],
});
