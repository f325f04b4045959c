import { type DocumentOf, defineModel, field } from './define-model.ts';

const fields = {
  /** SHA-256 of the token: who reads the database can refresh nothing. */
  _id: field.string,
  sessionId: field.string,
  userId: field.number,
  createdAt: field.date,
  expiresAt: field.date,
  /** A used token is kept, so that its second use is known for what it is. */
  usedAt: field.nullable(field.date),
  /** The signing key from which the successor is derived; absent before the first use. */
  successorKid: field.optional(field.string),
};
export type RefreshTokenDocument = DocumentOf<typeof fields>;

export const RefreshTokenModel = defineModel({
  name: 'RefreshToken',
  collection: 'refresh_tokens',
  fields,
  indexes: [[{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
});
