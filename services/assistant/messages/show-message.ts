import type { Actor } from '../../../contract/caller.ts';
import type { MessageDocument } from '../../../models/message.model.ts';
import type { Message, ToolCall } from '../contract/resources.ts';

type StoredToolCall = MessageDocument['toolCalls'][number];

/** A message as answers show it. `creator` is the creator of its conversation, who alone decides on its calls. */
export const showMessage = (message: MessageDocument, creator: Actor): Message => {
  const { _id: id, conversationId, role, content, attachmentIds, status, usage } = message;
  const toolCalls = message.toolCalls.map((call) => showToolCall(call, creator));
  const createdAt = message.createdAt.toISOString();
  return { id, conversationId, role, content, attachmentIds, toolCalls, status, usage, createdAt };
};

export const showToolCall = (call: StoredToolCall, creator: Actor): ToolCall => ({
  id: call.id,
  operation: call.operation,
  arguments: JSON.parse(call.arguments),
  status: call.status,
  result: call.result === null ? null : JSON.parse(call.result),
  decidedBy: call.decidedAt ? creator : null,
  decidedAt: call.decidedAt?.toISOString() ?? null,
});
