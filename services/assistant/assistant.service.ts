import type { ServiceSchema } from 'moleculer';
import { actorOf } from '../../contract/caller.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ConversationModel } from '../../models/conversation.model.ts';
import { MessageModel } from '../../models/message.model.ts';
import { implement } from '../contracts.ts';
import { assistantContract } from './assistant.contract.ts';
import { conversations } from './conversations/conversations.store.ts';
import { createConversation } from './conversations/create-conversation.ts';
import { getConversation } from './conversations/get-conversation.ts';
import { listConversations } from './conversations/list-conversations.ts';
import { removeConversation, removeParts } from './conversations/remove-conversation.ts';

/** The assistant: conversations with a model that calls the operations of the service. */
export function assistantService(): ServiceSchema {
  const erasures = erasuresOf('assistant', [ConversationModel, MessageModel]);
  return {
    name: 'assistant',
    mixins: [erasures.mixin, Changes(conversations)],
    actions: implement(
      assistantContract,
      {
        ...erasures.handlers,
        createConversation: (ctx) => createConversation(ctx.params, changeOf(ctx)),
        listConversations: ({ params, meta }) => listConversations(params, actorOf(meta.caller)),
        getConversation: ({ locals }) => getConversation(locals.resource),
        removeConversation: (ctx) => removeConversation(ctx.locals.resource, changeOf(ctx)),
        removeParts: ({ params }) => removeParts(params),
      },
      { conversation: conversations.find },
    ),
  };
}
