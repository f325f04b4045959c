import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The slot of one kind of mail to one address. Until `freeAt` no other mail of the kind is sent to the address. */
const fields = {
  /** `<kind>:<SHA-256 of the address, and of what else the slot is for>`, so that all processes share the slot. */
  _id: field.string,
  freeAt: field.date,
};
export type MailSlotDocument = DocumentOf<typeof fields>;

export const MailSlotModel = defineModel({
  name: 'MailSlot',
  collection: 'mail_slots',
  fields,
  indexes: [[{ freeAt: 1 }, { expireAfterSeconds: 0 }]],
  lifecycle: {
    workspace: { keep: 'a slot belongs to an address, not to a workspace' },
    person: {
      keep: 'a slot has a hash and expires within an hour, which the limit of mails needs',
    },
  },
});
