import { type DocumentOf, defineModel, field } from './define-model.ts';

/** One mail of a kind to one address: until `freeAt` no other of that kind goes there. */
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
