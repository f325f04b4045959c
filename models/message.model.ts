import { type DocumentOf, defineModel, field } from './define-model.ts';

export const MESSAGE_ROLES = ['user', 'assistant'] as const;
export const MESSAGE_STATUSES = ['COMPLETE', 'WAITING_FOR_APPROVAL', 'LIMIT', 'FAILED'] as const;
export const TOOL_CALL_STATUSES = ['DONE', 'FAILED', 'WAITING', 'REFUSED', 'EXPIRED'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
export type ToolCallStatus = (typeof TOOL_CALL_STATUSES)[number];

/** A call of an operation that the model has asked for. */
const toolCall = {
  id: field.number,
  /** The name of the operation, as in `issues.list`. */
  operation: field.string,
  /** The arguments as JSON text: the names in them may be any. */
  arguments: field.string,
  status: field.stringOf<ToolCallStatus>(),
  /** The result as JSON text, masked and cut; null while there is none. */
  result: field.nullable(field.string),
  /** The time at which the creator of the conversation decided on the call; null for a call without a decision. */
  decidedAt: field.nullable(field.date),
};

/** A message of a conversation. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  conversationId: field.number,
  /** The person who has created the conversation; null for a service account. */
  userId: field.nullable(field.number),
  /** The place of the message in its conversation, from 1. */
  position: field.number,
  role: field.stringOf<MessageRole>(),
  content: field.string,
  attachmentIds: field.list(field.number),
  toolCalls: field.list(field.object(toolCall)),
  status: field.stringOf<MessageStatus>(),
  usage: field.object({ inputTokens: field.number, outputTokens: field.number }),
  createdAt: field.date,
};
export type MessageDocument = DocumentOf<typeof fields>;

export const MessageModel = defineModel({
  name: 'Message',
  collection: 'messages',
  fields,
  indexes: [
    [{ conversationId: 1, position: 1 }, { unique: true }],
    [{ workspaceId: 1 }],
    [{ userId: 1 }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { remove: ['userId'] },
  },
});
