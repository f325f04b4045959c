import { defineModel, field } from './define-model.ts';

/** The name of the GridFS bucket with the bytes of attachments. The id of a file is that of its attachment. */
export const ATTACHMENT_BUCKET = 'attachment_data';

/** The files of the bucket, as GridFS writes them (`services/assistant/attachments/file-store.ts`). */
export const AttachmentFileModel = defineModel({
  name: 'AttachmentFile',
  collection: `${ATTACHMENT_BUCKET}.files`,
  fields: {
    _id: field.number,
    length: field.number,
    chunkSize: field.number,
    uploadDate: field.date,
    filename: field.string,
  },
  indexes: [[{ filename: 1, uploadDate: 1 }]], // as a GridFS bucket has it
  lifecycle: {
    workspace: { removeWith: 'attachments', where: (attachmentId) => ({ _id: attachmentId }) },
    person: { keep: 'the bytes go with their attachment' },
  },
});
