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
  /** The time of the last stored use. At most one use a minute is stored. */
  lastUsedAt: field.date,
  /** The client's address at the start or at the last refresh; null when it is unknown and in a revoked session. */
  address: field.nullable(field.string),
  /** The client's `User-Agent`, as `address`. */
  userAgent: field.nullable(field.string),
};
export type SessionDocument = DocumentOf<typeof fields>;

export const SessionModel = defineModel({
  name: 'Session',
  collection: 'sessions',
  fields,
  indexes: [[{ userId: 1, createdAt: -1, _id: -1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a session belongs to a person, not to a workspace' },
    person: { remove: ['userId'] },
  },
});
