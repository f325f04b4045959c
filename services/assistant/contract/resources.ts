import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { AnyJson, Id, Name, Timestamp } from '../../../contract/fields.ts';
import {
  MESSAGE_ROLES,
  MESSAGE_STATUSES,
  TOOL_CALL_STATUSES,
} from '../../../models/message.model.ts';

const conversation = {
  id: Id,
  workspaceId: Id,
  title: Name.nullable(),
  createdBy: ActorRecord,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
export const Conversation = z.strictObject(conversation).meta({ id: 'Conversation' });
export type Conversation = z.output<typeof Conversation>;

export const ToolCall = z
  .strictObject({
    id: Id,
    operation: z.string().meta({ description: 'The name of the operation, as in `issues.list`' }),
    arguments: AnyJson,
    status: z.enum(TOOL_CALL_STATUSES),
    result: AnyJson.meta({
      description: 'Secrets are masked, and a long result is cut; null while there is none',
    }),
    decidedBy: ActorRecord.nullable(),
    decidedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ToolCall' });
export type ToolCall = z.output<typeof ToolCall>;

const Tokens = z.int().nonnegative();

export const Message = z
  .strictObject({
    id: Id,
    conversationId: Id,
    role: z.enum(MESSAGE_ROLES),
    content: z.string(),
    attachmentIds: z.array(Id),
    toolCalls: z.array(ToolCall),
    status: z.enum(MESSAGE_STATUSES),
    usage: z.strictObject({ inputTokens: Tokens, outputTokens: Tokens }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Message' });
export type Message = z.output<typeof Message>;

const withMessages = { ...conversation, messages: z.array(Message) };
/** A conversation with its messages, as the answer shows it. */
export const ConversationWithMessages = z
  .strictObject(withMessages)
  .meta({ id: 'ConversationWithMessages' });

/** The result of `assistant.getConversation`, with the number of messages that found no room in it. */
export const ReadConversation = z.strictObject({
  ...withMessages,
  omitted: z.int().positive().optional(),
});
export type ReadConversation = z.output<typeof ReadConversation>;

/** The number of omitted messages, which the answer carries in a header. */
export const omittedMessages = {
  body: ConversationWithMessages,
  fields: {
    omitted: {
      header: 'X-Messages-Omitted',
      type: z.int(),
      description: 'How many messages, the oldest, are missing; without the header none is',
    },
  },
};
