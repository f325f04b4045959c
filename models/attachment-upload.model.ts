import { type DocumentOf, defineModel, field } from './define-model.ts';

/** An upload under way, or one whose process has died. It has the id that the attachment is going to have. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  /** Bytes of the workspace's quota that the upload holds. */
  reserved: field.number,
  /** The latest sign of life, by the clock of the database. */
  aliveAt: field.date,
  /** Set by the sweep before it removes the bytes: no attachment is created any more. */
  swept: field.flag,
};
export type AttachmentUploadDocument = DocumentOf<typeof fields>;

export const AttachmentUploadModel = defineModel({
  name: 'AttachmentUpload',
  collection: 'attachment_uploads',
  fields,
  indexes: [[{ aliveAt: 1 }], [{ workspaceId: 1 }]],
  lifecycle: {
    workspace: { keep: 'the erasure removes it by a hook, with its bytes' },
    person: { keep: 'an upload names nobody' },
  },
});
