import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A conversation with the assistant. Its messages are documents of their own, so that it does not grow. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  title: field.nullable(field.string),
  createdBy: actor,
  /** The person who has created the conversation, with whom it is removed; null for a service account. */
  userId: field.nullable(field.number),
  /** The number of messages so far, which gives a new message its position. */
  messageCount: field.number,
  /** The answer under way and its lease; null while there is none. The lease ends by the clock of the database. */
  answering: field.nullable(
    field.object({ messageId: field.number, lease: field.string, until: field.date }),
  ),
  createdAt: field.date,
  ...changedFields,
};
export type ConversationDocument = DocumentOf<typeof fields>;

export const ConversationModel = defineModel({
  name: 'Conversation',
  collection: 'conversations',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, 'createdBy.type': 1, 'createdBy.id': 1, _id: 1 }],
    [{ userId: 1 }],
    [
      { 'answering.until': 1 },
      { partialFilterExpression: { 'answering.until': { $exists: true } } },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { remove: ['userId'], rename: ['createdBy'] },
  },
});
