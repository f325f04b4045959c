import type { Conversation } from '../contract/resources.ts';
import type { StoredConversation } from './conversations.store.ts';

export const showConversation = ({
  _id: id,
  workspaceId,
  title,
  createdBy,
  createdAt,
  updatedAt,
}: Omit<StoredConversation, 'revision'>): Conversation => ({
  id,
  workspaceId,
  title,
  createdBy,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
