import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import {
  type ConversationDocument,
  ConversationModel,
} from '../../../../models/conversation.model.ts';

/** Milliseconds of a lease without a renewal. Beyond them another process takes the conversation over. */
const LEASE_MS = 10_000;

/** The lease of a conversation: while one process answers, no other writes a message. */
export interface Lease {
  conversationId: number;
  /** The random text of the lease. */
  text: string;
}

export interface Claim extends Lease {
  messageId: number;
  /** The number of messages that the claim makes room for. */
  messages: number;
  title?: string;
}

const leaseEnd = (): Date => new Date(databaseClock.now() + LEASE_MS);

/** Takes the lease of a conversation that has none, and room for messages. Null for a conversation that has one, or is full or gone. */
export async function claimConversation(
  { conversationId: _id, text: lease, messageId, messages, title }: Claim,
  maxMessages: number,
): Promise<ConversationDocument | null> {
  const answering = { messageId, lease, until: leaseEnd() };
  const set = { answering, updatedAt: new Date(), ...(title === undefined ? {} : { title }) };
  return ConversationModel.findOneAndUpdate(
    { _id, removedAt: null, answering: null, messageCount: { $lte: maxMessages - messages } },
    { $set: set, $inc: { messageCount: messages } },
    { returnDocument: 'after' },
  ).lean<ConversationDocument>();
}

/** Takes over a lease that has run out. False where it has not, or another process was first. */
export async function takeOver(
  { conversationId: _id, text: lease }: Lease,
  former: string,
): Promise<boolean> {
  const { matchedCount } = await ConversationModel.updateOne(
    { _id, 'answering.lease': former, 'answering.until': { $lte: databaseClock.date() } },
    { $set: { 'answering.lease': lease, 'answering.until': leaseEnd() } },
  );
  return matchedCount > 0;
}

/** Prolongs a lease. False where the lease is lost. */
export async function renew({ conversationId: _id, text: lease }: Lease): Promise<boolean> {
  const { matchedCount } = await ConversationModel.updateOne(
    { _id, 'answering.lease': lease },
    { $set: { 'answering.until': leaseEnd() } },
  );
  return matchedCount > 0;
}

/** Gives a lease back. */
export async function release({ conversationId: _id, text: lease }: Lease): Promise<void> {
  const set = { answering: null, updatedAt: new Date() };
  await ConversationModel.updateOne({ _id, 'answering.lease': lease }, { $set: set });
}

/** Whether an answer is under way by the clock of the database. */
export const isLive = ({ answering }: Pick<ConversationDocument, 'answering'>): boolean =>
  answering !== null && answering.until > databaseClock.date();
