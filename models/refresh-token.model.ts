import { type DocumentOf, defineModel, field } from './define-model.ts';

const fields = {
  /** SHA-256 of the token. A reader of the database cannot refresh a session with the hash. */
  _id: field.string,
  sessionId: field.string,
  userId: field.number,
  createdAt: field.date,
  expiresAt: field.date,
  /** The time of the first use. A used token stays stored, so that its reuse is detected. */
  usedAt: field.nullable(field.date),
  /** The signing key from which the successor is derived; absent before the first use. */
  successorKid: field.optional(field.string),
};
export type RefreshTokenDocument = DocumentOf<typeof fields>;

export const RefreshTokenModel = defineModel({
  name: 'RefreshToken',
  collection: 'refresh_tokens',
  fields,
  indexes: [[{ userId: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a token belongs to a person, not to a workspace' },
    person: { remove: ['userId'] },
  },
});
