import { model, Schema } from 'mongoose';

/** One mail of a kind to one address: until `freeAt` no other of that kind goes there. */
export interface MailSlotDocument {
  /** `<kind>:<SHA-256 of the address>`, so that one document decides for all processes. */
  _id: string;
  freeAt: Date;
}

const schema = new Schema<MailSlotDocument>({ _id: String, freeAt: Date }, { versionKey: false });
schema.index({ freeAt: 1 }, { expireAfterSeconds: 0 });

export const MailSlotModel = model<MailSlotDocument>('MailSlot', schema, 'mail_slots');
