import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A token mailed to a verified address. A caller with the token may set a new password. */
const fields = {
  /** SHA-256 of the token. */
  _id: field.string,
  userId: field.number,
  emailKey: field.string,
  /** The user's `resetEpoch` at the token's creation. No session can change the epoch, so a stolen session cannot end the token. */
  resetEpoch: field.number,
  createdAt: field.date,
  expiresAt: field.date,
};
export type ResetTokenDocument = DocumentOf<typeof fields>;

export const ResetTokenModel = defineModel({
  name: 'ResetToken',
  collection: 'reset_tokens',
  fields,
  indexes: [[{ userId: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a token belongs to a person, not to a workspace' },
    person: { remove: ['userId'] },
  },
});
