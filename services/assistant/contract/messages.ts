import { z } from 'zod';
import { MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  AgentNotConfigured,
  ConversationBusy,
  ConversationFull,
  ToolCallDecided,
  ToolCallExpired,
} from '../assistant.problems.ts';
import { ofConversation } from './conversations.ts';
import { answerExample } from './examples.ts';
import { Message } from './resources.ts';

/** Characters of a person's message; a longer one is refused. */
const MAX_CONTENT_CHARS = 32 * 1024;
/** Attachments of one message; more are refused. */
const MAX_ATTACHMENTS = 10;
/** Decisions of one request: as many as a message may have tool calls. */
const MAX_DECISIONS = 400;
/** Milliseconds of a call: the time of an answer, and that in the queue before it. */
const ANSWER_CALL_MS = 160_000;

const NUL = '\u0000';
const Content = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(MAX_CONTENT_CHARS, `must have at most ${MAX_CONTENT_CHARS} characters`)
  .refine((text) => !text.includes(NUL), 'must not have NUL')
  .refine((text) => text.isWellFormed(), 'must not have lone surrogates')
  .refine((text) => text.trim() !== '', 'must have something to see')
  .meta({ description: 'What the person writes' });

const ofAnswer = { none: 'the transcript of the conversation keeps it' } as const;
const EVENTS =
  'With `Accept: text/event-stream` the answer comes as it is made: `text` with a `delta`, `tool` with a tool call, `message` with the whole at the end, `error` with a problem.';

/** The operations by which a person and the model speak. */
export const messageActions = {
  sendMessage: action({
    summary: 'Write a message to the assistant and get its answer',
    description: `Tool calls that only read are carried out at once. Others wait for an approval, and the answer has the status \`WAITING_FOR_APPROVAL\`; a further message refuses them. An answer ends with the status \`LIMIT\` after 20 steps, two minutes or too many tokens, and with \`FAILED\` when the model fails; its content then says so. ${EVENTS}`,
    route: 'POST /agent/conversations/:id/messages',
    tool: { none: 'a model does not speak with itself' },
    audit: ofAnswer,
    uncontended: true,
    idempotency: { sequence: 'messages' },
    access: { who: 'member', roles: MEMBERS, in: ofConversation, rules: ['own'] },
    path: { id: IdText },
    body: {
      content: Content,
      attachmentIds: z
        .array(Id)
        .max(MAX_ATTACHMENTS)
        .optional()
        .meta({ description: 'Attachments of the conversation' }),
    },
    result: Message,
    status: 201,
    errors: [NotFound, AgentNotConfigured, ConversationBusy, ConversationFull],
    streamed: 'events',
    timeoutMs: ANSWER_CALL_MS,
    example: { body: { content: 'Which issues are open?' }, answer: answerExample },
  }),
  approve: action({
    summary: 'Approve or refuse tool calls of an answer',
    description: `Approved calls are carried out exactly as they are shown, in their order. Once no call waits any more, the answer goes on. A call waits for 24 hours. ${EVENTS}`,
    route: 'POST /agent/conversations/:id/messages/:messageId/approve',
    tool: { none: 'only the person approves' },
    audit: ofAnswer,
    uncontended: true,
    idempotency: { sequence: 'messages' },
    access: { who: 'member', roles: MEMBERS, in: ofConversation, rules: ['own'] },
    path: { id: IdText, messageId: IdText },
    body: {
      decisions: z
        .array(z.strictObject({ toolCallId: Id, approve: z.boolean() }))
        .min(1)
        .max(MAX_DECISIONS)
        .meta({ description: 'What the person decides of each tool call that waits' }),
    },
    result: Message,
    status: 201,
    errors: [NotFound, AgentNotConfigured, ConversationBusy, ToolCallDecided, ToolCallExpired],
    streamed: 'events',
    timeoutMs: ANSWER_CALL_MS,
    example: {
      body: { decisions: [{ toolCallId: 1, approve: true }] },
      answer: answerExample,
    },
  }),
};
