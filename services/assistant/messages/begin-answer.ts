import { ConversationModel } from '../../../models/conversation.model.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import type { ServiceBroker } from 'moleculer';
import { nextId } from '../../../mixins/database/ids.ts';
import { refuseWaitingCalls } from '../approvals/refuse-waiting.ts';
import type { Lease } from '../answering/lease/conversation-lease.ts';
import { noConversation, type StoredConversation } from '../conversations/conversations.store.ts';
import { claimAnswer } from './claim-answer.ts';
import { messageOfAnswer, messageOfPerson } from './new-messages.ts';

export interface NewMessage {
  content: string;
  attachmentIds: number[];
  /** The id of the answer, where an `Idempotency-Key` has reserved one. */
  answerId: number;
}

/** An answer that its process may write. */
export interface BegunAnswer {
  message: MessageDocument;
  lease: Lease;
}

/** Characters of the title that the first message gives its conversation. */
const TITLE_CHARS = 60;

/** Stores the message of a person, and claims the conversation for the answer. Calls that wait are refused by it. */
export async function beginAnswer(
  { _id: conversationId, title }: StoredConversation,
  { content, attachmentIds, answerId }: NewMessage,
  broker: ServiceBroker,
): Promise<BegunAnswer> {
  const named = title === null ? { title: titleOf(content) } : {};
  const claim = { conversationId, messageId: answerId, messages: 2, ...named };
  const { conversation, lease } = await claimAnswer(claim, broker);
  await refuseWaitingCalls(conversationId);
  const position = conversation.messageCount;
  const ofPerson = messageOfPerson(conversation, {
    _id: await nextId('messages'),
    position: position - 1,
    content,
    attachmentIds,
  });
  const message = messageOfAnswer(conversation, { _id: answerId, position, lease: lease.text });
  await MessageModel.insertMany([ofPerson, message], { lean: true });
  await assertPresent(conversationId);
  return { message, lease };
}

/** Looks again: a deletion that came in between has removed the messages that there were. */
async function assertPresent(conversationId: number): Promise<void> {
  if (await ConversationModel.exists({ _id: conversationId, removedAt: null })) return;
  await MessageModel.deleteMany({ conversationId });
  throw noConversation(conversationId);
}

/** The beginning of a text, on one line. */
function titleOf(content: string): string {
  const line = content.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const beginning = line.slice(0, TITLE_CHARS).toWellFormed().trim();
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(beginning)) return 'Conversation';
  return line.length > TITLE_CHARS ? `${beginning}…` : beginning;
}
