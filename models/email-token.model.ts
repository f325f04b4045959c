import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A registration for a directory entry. The registration takes effect when the mailed token is returned. */
const pendingRegistrationFields = {
  passwordHash: field.string,
  firstName: field.string,
  lastName: field.string,
};
export type PendingRegistration = DocumentOf<typeof pendingRegistrationFields>;
const pendingRegistration = field.object(pendingRegistrationFields);

/** A token mailed to an address. The return of the token proves that its sender reads the mailbox. */
const fields = {
  /** SHA-256 of the token. */
  _id: field.string,
  userId: field.number,
  /** The address to which the token was mailed. The token verifies no other address. */
  emailKey: field.string,
  pending: field.nullable(pendingRegistration),
  /** The time at which the token's mail was stored in the outbox; null before. */
  mailedAt: field.nullable(field.date),
  createdAt: field.date,
  expiresAt: field.date,
};
export type EmailTokenDocument = DocumentOf<typeof fields>;

export const EmailTokenModel = defineModel({
  name: 'EmailToken',
  collection: 'email_tokens',
  fields,
  indexes: [[{ userId: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a token belongs to a person, not to a workspace' },
    person: { remove: ['userId'] },
  },
});
