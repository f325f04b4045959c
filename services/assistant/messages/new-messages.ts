import type { ConversationDocument } from '../../../models/conversation.model.ts';
import type { MessageDocument } from '../../../models/message.model.ts';

type Conversation = Pick<ConversationDocument, '_id' | 'workspaceId' | 'userId'>;

const emptyMessage = ({ _id: conversationId, workspaceId, userId }: Conversation) => ({
  workspaceId,
  conversationId,
  userId,
  content: '',
  attachmentIds: [] as number[],
  toolCalls: [],
  stepEnds: [],
  faultySteps: 0,
  lease: null,
  approvedBy: null,
  approvalIds: [] as number[],
  createdAt: new Date(),
});
const noUsage = () => ({ inputTokens: 0, outputTokens: 0 });

/** The message of a person. */
export const messageOfPerson = (
  conversation: Conversation,
  message: Pick<MessageDocument, '_id' | 'position' | 'content' | 'attachmentIds'>,
): MessageDocument => ({
  ...emptyMessage(conversation),
  ...message,
  role: 'user',
  status: 'COMPLETE',
  usage: noUsage(),
});

/** The message of an answer that begins. */
export const messageOfAnswer = (
  conversation: Conversation,
  message: Pick<MessageDocument, '_id' | 'position'> & { lease: string },
): MessageDocument => ({
  ...emptyMessage(conversation),
  ...message,
  role: 'assistant',
  status: 'ANSWERING',
  usage: noUsage(),
});
