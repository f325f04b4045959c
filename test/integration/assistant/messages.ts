import type { MessageDocument } from '../../../models/message.model.ts';
import type { StoredCall } from '../../../services/assistant/answering/answer-record.ts';
import {
  messageOfAnswer,
  messageOfPerson,
} from '../../../services/assistant/messages/new-messages.ts';

export const CONVERSATION = { _id: 7, workspaceId: 3, userId: 1 };

export const storedCall = (id: number, fields: Partial<StoredCall> = {}): StoredCall => ({
  id,
  operation: 'issues.list',
  arguments: '{}',
  status: 'WAITING',
  step: 0,
  reservedId: null,
  result: null,
  decidedAt: null,
  ...fields,
});

/** The message of a person at a place of the conversation. */
export const personMessage = (position: number, content: string): MessageDocument =>
  messageOfPerson(CONVERSATION, { _id: position, position, content, attachmentIds: [] });

/** An answer at a place of the conversation. */
export const answerMessage = (
  position: number,
  fields: Partial<MessageDocument>,
): MessageDocument => ({
  ...messageOfAnswer(CONVERSATION, { _id: position, position, lease: 'lease' }),
  ...fields,
});
