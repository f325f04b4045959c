import { randomUUID } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import { toolNameOf } from '../../../contract/tools.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import {
  type ConversationDocument,
  ConversationModel,
} from '../../../models/conversation.model.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { allTools } from '../../tools/tools.ts';
import { AnswerRecord, type StoredCall } from '../answering/answer-record.ts';
import { CallRunner } from '../answering/calls/call-runner.ts';
import { type Lease, release, takeOver } from '../answering/lease/conversation-lease.ts';
import { bytesOfCalls } from '../answering/conversation-host.ts';
import { LeaseKeeper } from '../answering/lease/lease-keeper.ts';
import { MAX_CALLS_BYTES } from '../answering/limits.ts';
import { failed } from '../tools/call-outcome.ts';

/** What the person reads at the end of an answer whose process ended. */
const BROKE_OFF = 'The answer broke off, because the service ended. Write a message to go on.';
const UNKNOWN = failed({
  code: 'OUTCOME_UNKNOWN',
  detail:
    'The service ended while the call was under way. It may have been carried out: look before it is repeated.',
});
const NOT_READ = failed({
  code: 'NOT_CARRIED_OUT',
  detail: 'The service ended while the call was under way.',
});

/** Conversations of one look. */
const BATCH = 20;

/** Ends the answers whose processes ended. */
export async function recoverAnswers(broker: ServiceBroker): Promise<void> {
  const overdue = await ConversationModel.find({
    'answering.until': { $lte: databaseClock.date() },
  })
    .limit(BATCH)
    .lean<ConversationDocument[]>();
  for (const conversation of overdue) await recoverAnswer(conversation, broker);
}

/**
 * Ends the answer of a conversation whose lease has run out: what there is of it stays, and calls that were approved
 * are finished. A call that cannot be repeated has an unknown outcome. False where another process was first.
 */
export async function recoverAnswer(
  { _id: conversationId, workspaceId, answering }: ConversationDocument,
  broker: ServiceBroker,
): Promise<boolean> {
  if (!answering) return false;
  const lease: Lease = { conversationId, text: randomUUID() };
  if (!(await takeOver(lease, answering.lease))) return false;
  const message = await MessageModel.findOneAndUpdate(
    { _id: answering.messageId, lease: answering.lease },
    { $set: { lease: lease.text } },
    { returnDocument: 'after' },
  ).lean<MessageDocument>();
  const keeper = new LeaseKeeper(lease);
  try {
    if (message) await endMessage(new AnswerRecord(message, lease.text), workspaceId, broker);
    await release(lease);
  } finally {
    keeper.stop();
  }
  return true;
}

async function endMessage(
  record: AnswerRecord,
  workspaceId: number,
  broker: ServiceBroker,
): Promise<void> {
  const { message } = record;
  for (const call of message.toolCalls) {
    if (call.status !== 'APPROVED' && call.status !== 'RUNNING') continue;
    Object.assign(call, await outcomeOf(call, message, workspaceId, broker));
  }
  if (message.toolCalls.some(({ status }) => status === 'WAITING')) {
    await record.end('WAITING_FOR_APPROVAL');
    return;
  }
  record.append(`${message.content ? '\n\n' : ''}${BROKE_OFF}`);
  await record.end('FAILED');
}

async function outcomeOf(
  call: StoredCall,
  message: MessageDocument,
  workspaceId: number,
  broker: ServiceBroker,
) {
  const { approvedBy: caller, toolCalls } = message;
  if (!call.decidedAt || !caller) return NOT_READ;
  if (call.status === 'RUNNING' && !isRepeatable(call)) return UNKNOWN;
  const runner = new CallRunner({ broker, caller, workspaceId });
  return runner.run(call, MAX_CALLS_BYTES - bytesOfCalls(toolCalls));
}

/** Whether a second call has no further effect: by the id that the first one was to give, or by its nature. */
const isRepeatable = ({ operation, reservedId }: StoredCall): boolean =>
  reservedId !== null || allTools().get(toolNameOf(operation))?.contract.idempotent === true;
