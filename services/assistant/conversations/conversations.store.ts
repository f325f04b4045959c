import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import {
  type ConversationDocument,
  ConversationModel,
} from '../../../models/conversation.model.ts';

export type StoredConversation = Shown<
  ConversationDocument,
  'userId' | 'messageCount' | 'answering'
>;

export const noConversation = (id: number): Problem =>
  new Problem(NotFound, `There is no conversation ${id}.`);

/** The store of conversations: their creation and their removal are changes. */
export const conversations = changesOf(ConversationModel, {
  hidden: ['userId', 'messageCount', 'answering'],
  missing: noConversation,
});
