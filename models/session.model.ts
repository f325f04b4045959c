import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A sign-in and everything refreshed from it: its refresh tokens are one family. */
const fields = {
  _id: field.string,
  userId: field.number,
  /** The user's `sessionEpoch` when the session began, or a later one. Absent for 0. */
  epoch: field.optional(field.number),
  createdAt: field.date,
  /** Each refresh postpones it. MongoDB deletes the session then. */
  expiresAt: field.date,
  revokedAt: field.nullable(field.date),
};
export type SessionDocument = DocumentOf<typeof fields>;

export const SessionModel = defineModel({
  name: 'Session',
  collection: 'sessions',
  fields,
  indexes: [[{ userId: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
});
