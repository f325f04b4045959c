import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { conversationBusy } from '../assistant.problems.ts';
import type { Message } from '../contract/resources.ts';
import type { StoredConversation } from '../conversations/conversations.store.ts';
import { isAnswered } from './read-transcript.ts';
import { showMessage } from './show-message.ts';

/** The answer that an earlier attempt of a request has begun; null for none. Throws 409 while it is under way. */
export async function findAnswer(
  { _id: conversationId, createdBy: creator }: StoredConversation,
  attempt: { _id: number; approvalIds?: number },
): Promise<Message | null> {
  const message = await MessageModel.findOne({
    ...attempt,
    conversationId,
  }).lean<MessageDocument>();
  if (!message) return null;
  const isAnswering = message.status === 'ANSWERING' && (await isAnswered(conversationId));
  if (isAnswering) throw conversationBusy();
  return showMessage(message, { creator, now: databaseClock.date(), isAnswering });
}
