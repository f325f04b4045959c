import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A session, from a sign-in to its end. The refresh tokens of a session are one family. */
const fields = {
  _id: field.string,
  userId: field.number,
  /** The user's `sessionEpoch` at the start of the session, or a later epoch for a carried session. Absent for 0. */
  epoch: field.optional(field.number),
  createdAt: field.date,
  /** The end of the session, at which MongoDB deletes the session. Each refresh postpones the end. */
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
