import { readInBatches } from '../../../mixins/database/row-cursor.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import type { Message } from '../contract/resources.ts';
import type { StoredConversation } from '../conversations/conversations.store.ts';
import { showMessage } from './show-message.ts';

/** Messages of one reply of the database. */
const BATCH_SIZE = 50;
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
  createdBy,
}: Pick<StoredConversation, '_id' | 'createdBy'>): Promise<Transcript> {
  const query = MessageModel.find({ conversationId }).sort({ position: -1 }).lean();
  const messages: Message[] = [];
  let bytes = 0;
  for await (const document of readInBatches<MessageDocument>(query, BATCH_SIZE)) {
    const message = showMessage(document, createdBy);
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (messages.length > 0 && bytes > MAX_TRANSCRIPT_BYTES) {
      return { messages: messages.reverse(), omitted: document.position };
    }
    messages.push(message);
  }
  return { messages: messages.reverse(), omitted: 0 };
}
