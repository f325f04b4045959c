import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import type { Conversation } from '../contract/resources.ts';
import { conversations } from './conversations.store.ts';
import { showConversation } from './show-conversation.ts';

export async function createConversation(
  { workspaceId, title }: Params<'assistant.createConversation'>,
  change: ChangeContext,
): Promise<Conversation> {
  const { actor } = change;
  const now = new Date();
  const conversation = {
    workspaceId,
    title: title ?? null,
    createdBy: actor,
    userId: actor.type === 'person' ? actor.id : null,
    messageCount: 0,
    answering: null,
    createdAt: now,
    updatedAt: now,
  };
  return showConversation(await conversations.create(conversation, change));
}
