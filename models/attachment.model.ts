import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A file that was uploaded to a conversation. The file exists while this document does; its bytes have the same id. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  conversationId: field.number,
  createdBy: actor,
  /** The person who has created the conversation, with whom the file is removed; null for a service account. */
  userId: field.nullable(field.number),
  name: field.string,
  type: field.string,
  /** The length in bytes. */
  size: field.number,
  /** In hexadecimal digits. */
  sha256: field.string,
  /** The number of the attachment among those of its conversation, below the quota; absent without a quota. */
  quotaSlot: field.optional(field.number),
  createdAt: field.date,
  ...changedFields,
};
export type AttachmentDocument = DocumentOf<typeof fields>;

/** The name of the unique index by which at most one attachment of a conversation holds a quota slot. */
export const ATTACHMENT_QUOTA_INDEX = 'conversation_quota_slot';

export const AttachmentModel = defineModel({
  name: 'Attachment',
  collection: 'attachments',
  fields,
  indexes: [
    outboxIndex,
    [{ conversationId: 1, _id: 1 }],
    [{ workspaceId: 1, size: 1 }],
    [{ userId: 1 }],
    [
      { conversationId: 1, quotaSlot: 1 },
      {
        name: ATTACHMENT_QUOTA_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { remove: ['userId'], rename: ['createdBy'] },
  },
});
