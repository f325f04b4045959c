import type { Actor } from '../../../contract/caller.ts';
import { ascendingBy } from '../../../contract/page-order.ts';
import type { Position } from '../../../contract/page-position.ts';
import type { Page } from '../../../contract/pages.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { ConversationModel } from '../../../models/conversation.model.ts';
import type { Conversation } from '../contract/resources.ts';
import { conversations } from './conversations.store.ts';
import { showConversation } from './show-conversation.ts';

/** The conversations that an actor has begun in a workspace, by id. */
export function listConversations(
  { workspaceId, ...position }: Position & { workspaceId: number },
  { type, id }: Actor,
): Promise<Page<Conversation>> {
  const filter = { workspaceId, 'createdBy.type': type, 'createdBy.id': id };
  const order = ascendingBy('_id');
  const query = { filter, order, position, projection: conversations.projection };
  return readPage(ConversationModel, query, showConversation);
}
