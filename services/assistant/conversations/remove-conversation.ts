import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { remove, writeByIndex } from '../../../mixins/lifecycle/erasure-batches.ts';
import { MessageModel } from '../../../models/message.model.ts';
import type { Params } from '../../contracts.ts';
import { removeAttachmentsOf } from '../attachments/remove-attachment.ts';
import { conversations, type StoredConversation } from './conversations.store.ts';
import { getConversation } from './get-conversation.ts';

/** Deletes a conversation. The message of its tombstone removes what belongs to it. */
export async function removeConversation(
  conversation: StoredConversation,
  change: ChangeContext,
): Promise<null> {
  const { _id: conversationId } = conversation;
  const messages = [{ call: 'assistant.removeParts', params: { conversationId } }];
  const show = async (current: StoredConversation) => {
    const { omitted: _omitted, ...shown } = await getConversation(current);
    return shown;
  };
  await conversations.remove(conversation, change, { show, messages });
  return null;
}

/** Removes the messages and the attachments of deleted conversations, in batches. A repetition goes on with what is left. */
export async function removeParts({ entries }: Params<'assistant.removeParts'>): Promise<null> {
  for (const { conversationId } of entries) {
    while (await writeByIndex(MessageModel, { conversationId }, remove));
    await removeAttachmentsOf(conversationId);
  }
  return null;
}
