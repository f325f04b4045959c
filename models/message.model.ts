import type { Caller } from '../contract/caller.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

export const MESSAGE_ROLES = ['user', 'assistant'] as const;
export const MESSAGE_STATUSES = ['COMPLETE', 'WAITING_FOR_APPROVAL', 'LIMIT', 'FAILED'] as const;
export const TOOL_CALL_STATUSES = ['DONE', 'FAILED', 'WAITING', 'REFUSED', 'EXPIRED'] as const;
/** The states that no answer shows: an answer under way, and a call that is approved or that has begun. */
type UnderWay = 'ANSWERING';
type Undone = 'APPROVED' | 'RUNNING';
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
  status: field.stringOf<ToolCallStatus | Undone>(),
  /** The number of the model's step that asked for the call, from 0. */
  step: field.number,
  /** The id that the resource gets which the call creates; null for a call that creates none. */
  reservedId: field.nullable(field.number),
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
  /** The length of the content after each step of the model. */
  stepEnds: field.list(field.number),
  /** The number of steps whose calls had wrong arguments. */
  faultySteps: field.number,
  status: field.stringOf<MessageStatus | UnderWay>(),
  /** The lease of the answer under way, which each write names; null while there is none. */
  lease: field.nullable(field.string),
  /** Until when calls wait for a decision, by the clock of the database; absent while none waits. */
  waitsUntil: field.optional(field.date),
  /** Who has approved calls, for whom they are carried out; null before. */
  approvedBy: field.nullable(field.mixed<Caller>()),
  /** The ids that the `Idempotency-Key`s of approvals have reserved, by which a repeat is known. */
  approvalIds: field.list(field.number),
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
    [{ waitsUntil: 1 }, { partialFilterExpression: { waitsUntil: { $exists: true } } }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { remove: ['userId'] },
  },
});
