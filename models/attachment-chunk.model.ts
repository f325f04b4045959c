import type { mongo } from 'mongoose';
import { ATTACHMENT_BUCKET } from './attachment-file.model.ts';
import { defineModel, field } from './define-model.ts';

/** The parts of the files of the bucket. */
export const AttachmentChunkModel = defineModel({
  name: 'AttachmentChunk',
  collection: `${ATTACHMENT_BUCKET}.chunks`,
  fields: {
    _id: field.mixed<mongo.ObjectId>(),
    files_id: field.number,
    n: field.number,
    data: field.mixed<mongo.Binary>(),
  },
  indexes: [[{ files_id: 1, n: 1 }, { unique: true }]],
  lifecycle: {
    workspace: { removeWith: 'attachments', where: (attachmentId) => ({ files_id: attachmentId }) },
    person: { keep: 'the bytes go with their attachment' },
  },
});
