import type { ReadConversation } from '../contract/resources.ts';
import { readTranscript } from '../messages/read-transcript.ts';
import type { StoredConversation } from './conversations.store.ts';
import { showConversation } from './show-conversation.ts';

/** A conversation with its messages, as its GET shows it. */
export async function getConversation(conversation: StoredConversation): Promise<ReadConversation> {
  const { messages, omitted } = await readTranscript(conversation);
  return { ...showConversation(conversation), messages, ...(omitted > 0 ? { omitted } : {}) };
}
