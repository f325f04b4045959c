import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A mail of one kind to one address. Until `freeAt` no other mail of the kind goes to the address. */
const fields = {
  /** `<kind>:<SHA-256 of the address>`, so that one document decides for all processes. */
  _id: field.string,
  freeAt: field.date,
};
export type MailSlotDocument = DocumentOf<typeof fields>;

export const MailSlotModel = defineModel({
  name: 'MailSlot',
  collection: 'mail_slots',
  fields,
  indexes: [[{ freeAt: 1 }, { expireAfterSeconds: 0 }]],
});
