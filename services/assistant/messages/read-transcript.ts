import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { readInBatches } from '../../../mixins/database/row-cursor.ts';
import {
  type ConversationDocument,
  ConversationModel,
} from '../../../models/conversation.model.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { isLive } from '../answering/lease/conversation-lease.ts';
import type { Message } from '../contract/resources.ts';
import type { StoredConversation } from '../conversations/conversations.store.ts';
import { type Moment, showMessage } from './show-message.ts';

/** Messages of one reply of the database. */
const BATCH_SIZE = 20;
/** Bytes of JSON of the messages in one answer, well below the largest message of NATS. Older messages are omitted. */
const MAX_TRANSCRIPT_BYTES = 512 * 1024;

interface Transcript {
  /** The newest messages, in their order. */
  messages: Message[];
  /** The number of older messages. */
  omitted: number;
}

/** Reads the newest messages of a conversation that have room in an answer: the latest one at least. */
export async function readTranscript({
  _id: conversationId,
  createdBy: creator,
}: Pick<StoredConversation, '_id' | 'createdBy'>): Promise<Transcript> {
  const moment = {
    creator,
    now: databaseClock.date(),
    isAnswering: await isAnswered(conversationId),
  };
  const query = MessageModel.find({ conversationId }).sort({ position: -1 }).lean();
  const messages: Message[] = [];
  let bytes = 0;
  for await (const document of readInBatches<MessageDocument>(query, BATCH_SIZE)) {
    if (isHidden(document, moment)) continue;
    const message = showMessage(document, moment);
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (messages.length > 0 && bytes > MAX_TRANSCRIPT_BYTES) {
      const position = { $lte: document.position };
      const omitted = await MessageModel.countDocuments({ conversationId, position });
      return { messages: messages.reverse(), omitted };
    }
    messages.push(message);
  }
  return { messages: messages.reverse(), omitted: 0 };
}

/** Whether a process answers the conversation. */
export async function isAnswered(_id: number): Promise<boolean> {
  const found = await ConversationModel.findOne({ _id }, { answering: 1 }).lean<
    Pick<ConversationDocument, 'answering'>
  >();
  return found?.answering ? isLive(found) : false;
}

/** Whether a message is an answer under way that waited for no decision: no status says that. */
const isHidden = ({ status, approvedBy }: MessageDocument, { isAnswering }: Moment): boolean =>
  status === 'ANSWERING' && isAnswering && approvedBy === null;
