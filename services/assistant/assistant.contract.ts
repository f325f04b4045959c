import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { attachmentActions } from './contract/attachments.ts';
import { conversationActions } from './contract/conversations.ts';
import { internalActions } from './contract/internal.ts';
import { messageActions } from './contract/messages.ts';
import { promptActions } from './contract/prompts.ts';

export const assistantContract = defineContract(
  'assistant',
  'Conversations with a model that calls the operations of the service',
  {
    ...conversationActions,
    ...messageActions,
    ...attachmentActions,
    ...promptActions,
    ...internalActions,
    ...lifecycleActions,
  },
);
