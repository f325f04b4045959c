import { randomUUID } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import { Problem } from '../../../contract/problem.ts';
import {
  type ConversationDocument,
  ConversationModel,
} from '../../../models/conversation.model.ts';
import { claimConversation, isLive, type Lease } from '../answering/lease/conversation-lease.ts';
import { ConversationFull, conversationBusy } from '../assistant.problems.ts';
import { noConversation } from '../conversations/conversations.store.ts';
import { recoverAnswer } from './recover-answer.ts';

/** Messages of a conversation. Then it takes no further ones. */
const MAX_MESSAGES = 1_000;
/** Times that a conversation is claimed, while others end its former answers. */
const MAX_ATTEMPTS = 3;

/** What an answer claims of its conversation. */
export interface AnswerClaim {
  conversationId: number;
  messageId: number;
  /** The number of messages that are added. */
  messages: number;
  title?: string;
}

export interface ClaimedConversation {
  conversation: ConversationDocument;
  lease: Lease;
}

/**
 * Claims a conversation for an answer; a former answer whose process ended is ended first. Throws 404 for a conversation
 * that has gone, 409 while another answer is under way, and for a full conversation.
 */
export async function claimAnswer(
  claim: AnswerClaim,
  broker: ServiceBroker,
): Promise<ClaimedConversation> {
  const { conversationId } = claim;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const lease: Lease = { conversationId, text: randomUUID() };
    const conversation = await claimConversation({ ...claim, ...lease }, MAX_MESSAGES);
    if (conversation) return { conversation, lease };
    const found = await ConversationModel.findOne({
      _id: conversationId,
      removedAt: null,
    }).lean<ConversationDocument>();
    if (!found) throw noConversation(conversationId);
    if (isLive(found)) throw conversationBusy();
    if (found.answering) await recoverAnswer(found, broker);
    else if (found.messageCount + claim.messages > MAX_MESSAGES) throw full();
  }
  throw conversationBusy();
}

const full = (): Problem =>
  new Problem(
    ConversationFull,
    `A conversation may have ${MAX_MESSAGES} messages: begin another one.`,
  );
