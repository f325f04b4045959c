import type { Actor } from '../../../contract/caller.ts';
import type { MessageDocument } from '../../../models/message.model.ts';
import type { Message, ToolCall } from '../contract/resources.ts';

type StoredCall = MessageDocument['toolCalls'][number];

/** What the statuses of a message and its calls depend on beside the message. */
export interface Moment {
  /** The creator of the conversation, who alone decides on calls. */
  creator: Actor;
  /** The time by the clock of the database. */
  now: Date;
  /** Whether a process answers the conversation. */
  isAnswering: boolean;
}

/** A message as answers show it. */
export function showMessage(message: MessageDocument, moment: Moment): Message {
  const { _id: id, conversationId, role, content, attachmentIds, usage } = message;
  const status = statusOf(message, moment);
  const toolCalls = message.toolCalls.map((call) => showToolCall(call, moment, message));
  const createdAt = message.createdAt.toISOString();
  return { id, conversationId, role, content, attachmentIds, toolCalls, status, usage, createdAt };
}

/** Whether nobody has decided in time. */
const isExpired = ({ waitsUntil }: Pick<MessageDocument, 'waitsUntil'>, { now }: Moment): boolean =>
  waitsUntil !== undefined && waitsUntil <= now;

function statusOf(message: MessageDocument, moment: Moment): Message['status'] {
  const { status } = message;
  if (status === 'ANSWERING') return moment.isAnswering ? 'WAITING_FOR_APPROVAL' : 'FAILED';
  return status === 'WAITING_FOR_APPROVAL' && isExpired(message, moment) ? 'LIMIT' : status;
}

/** The result of a call whose process ended before its outcome was stored. */
const UNKNOWN = {
  code: 'OUTCOME_UNKNOWN',
  detail: 'The service ended while the call was under way. It may have been carried out.',
};

export function showToolCall(
  call: StoredCall,
  moment: Moment,
  message: Pick<MessageDocument, 'waitsUntil'>,
): ToolCall {
  const status = callStatusOf(call, moment, message);
  const isUnknown = status === 'FAILED' && call.result === null;
  return {
    id: call.id,
    operation: call.operation,
    arguments: JSON.parse(call.arguments),
    status,
    result: call.result === null ? (isUnknown ? UNKNOWN : null) : JSON.parse(call.result),
    decidedBy: call.decidedAt ? moment.creator : null,
    decidedAt: call.decidedAt?.toISOString() ?? null,
  };
}

function callStatusOf(
  { status }: StoredCall,
  moment: Moment,
  message: Pick<MessageDocument, 'waitsUntil'>,
): ToolCall['status'] {
  if (status === 'APPROVED' || status === 'RUNNING')
    return moment.isAnswering ? 'WAITING' : 'FAILED';
  return status === 'WAITING' && isExpired(message, moment) ? 'EXPIRED' : status;
}
