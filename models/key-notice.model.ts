import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A mail to an OWNER that is to be written, about the API keys of a former member. */
const fields = {
  /** `<ownerId>:<workspaceId>:<userId>`: several departures of one member are one notice. */
  _id: field.string,
  ownerId: field.number,
  workspaceId: field.number,
  /** The former member. */
  userId: field.number,
  /** When the sweep tries to mail the notice next. */
  dueAt: field.date,
  createdAt: field.date,
};
export type KeyNoticeDocument = DocumentOf<typeof fields>;

/** Seconds after which MongoDB deletes a notice that no mail has taken: there is no mail server then. */
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
