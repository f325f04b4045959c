import { type DocumentOf, defineModel, field } from './define-model.ts';

/** What the attachments of a workspace take of its quota. The id is that of the workspace. */
const fields = {
  _id: field.number,
  bytes: field.number,
  /** Raised by each write, so that a recount overwrites none. */
  revision: field.number,
};
export type AttachmentUsageDocument = DocumentOf<typeof fields>;

export const AttachmentUsageModel = defineModel({
  name: 'AttachmentUsage',
  collection: 'attachment_usage',
  fields,
  lifecycle: {
    workspace: { remove: '_id' },
    person: { keep: 'a usage names nobody' },
  },
});
