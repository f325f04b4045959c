import { MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { conversationExample, messagesExample } from './examples.ts';
import { Conversation, omittedMessages, ReadConversation } from './resources.ts';

const inWorkspace = { parameter: 'workspaceId' } as const;
export const ofConversation = { resource: 'conversation', parameter: 'id' } as const;

const OF_CONVERSATIONS = { none: 'a model has the conversation that it is in' } as const;

/** The operations on conversations. A conversation exists for its creator alone. */
export const conversationActions = {
  createConversation: action({
    summary: 'Begin a conversation with the assistant',
    description: 'Without a `title` the first message gives it one.',
    route: 'POST /agent/conversations',
    tool: OF_CONVERSATIONS,
    audit: { resource: 'conversation' },
    uncontended: true,
    idempotency: { sequence: 'conversations' },
    access: { who: 'member', roles: MEMBERS, in: inWorkspace },
    body: {
      workspaceId: Id,
      title: Name.nullish().meta({
        description: 'One line; the first message gives it where it is absent',
      }),
    },
    result: Conversation,
    status: 201,
    errors: [NotFound],
    example: { body: { workspaceId: 1, title: 'Open issues' }, answer: conversationExample },
  }),
  listConversations: action({
    summary: "The caller's own conversations in a workspace",
    route: 'GET /workspaces/:workspaceId/conversations',
    tool: OF_CONVERSATIONS,
    access: { who: 'member', roles: MEMBERS, in: inWorkspace, rules: ['own'] },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(Conversation),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [conversationExample] },
  }),
  getConversation: action({
    summary: 'A conversation and its messages',
    description:
      'The messages are in their order. Of a conversation with more than 512 KiB the oldest messages are left out, and `X-Messages-Omitted` says how many.',
    route: 'GET /agent/conversations/:id',
    tool: OF_CONVERSATIONS,
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: ofConversation, rules: ['own'] },
    path: { id: IdText },
    result: ReadConversation,
    resultHeaders: omittedMessages,
    errors: [NotFound],
    idempotent: true,
    example: { answer: { ...conversationExample, messages: messagesExample } },
  }),
  removeConversation: action({
    summary: 'Delete a conversation, its messages and its attachments',
    route: 'DELETE /agent/conversations/:id',
    tool: OF_CONVERSATIONS,
    etag: true,
    audit: { resource: 'conversation' },
    access: { who: 'member', roles: MEMBERS, in: ofConversation, rules: ['own'] },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
