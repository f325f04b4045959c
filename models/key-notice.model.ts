import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A notice to an OWNER about the API keys of a former member, until a mail contains the notice. */
const fields = {
  /** `<ownerId>:<workspaceId>:<userId>`, so that repeated departures of one member share one notice. */
  _id: field.string,
  ownerId: field.number,
  workspaceId: field.number,
  /** The user id of the former member. */
  userId: field.number,
  /** The time of the next attempt to mail the notice. */
  dueAt: field.date,
  createdAt: field.date,
};
export type KeyNoticeDocument = DocumentOf<typeof fields>;

/** Seconds that an unmailed notice is kept, such as without a mail server; beyond them MongoDB deletes the notice. */
const KEPT_SECONDS = 7 * 24 * 3600;

export const KeyNoticeModel = defineModel({
  name: 'KeyNotice',
  collection: 'key_notices',
  fields,
  indexes: [
    [{ dueAt: 1 }],
    [{ ownerId: 1, createdAt: 1 }],
    [{ userId: 1 }],
    [{ workspaceId: 1 }],
    [{ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { remove: ['ownerId', 'userId'] },
  },
});
