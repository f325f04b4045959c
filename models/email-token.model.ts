import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The registration for a directory entry that takes effect when its mail is answered. */
const pendingRegistrationFields = {
  passwordHash: field.string,
  firstName: field.string,
  lastName: field.string,
};
export type PendingRegistration = DocumentOf<typeof pendingRegistrationFields>;
const pendingRegistration = field.object(pendingRegistrationFields);

/** A token mailed to an address: whoever returns it reads that mailbox. */
const fields = {
  /** SHA-256 of the token. */
  _id: field.string,
  userId: field.number,
  /** The address that the token was mailed to, and the only one that it verifies. */
  emailKey: field.string,
  pending: field.nullable(pendingRegistration),
  /** When the token's mail was stored in the outbox; null until then. */
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
});
