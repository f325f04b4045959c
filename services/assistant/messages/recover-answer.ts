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
import { carryOutApproved } from '../approvals/carry-out.ts';
import { CallRunner } from '../answering/calls/call-runner.ts';
import { mapInParallel } from '../answering/calls/map-in-parallel.ts';
import { type Lease, release, takeOver } from '../answering/lease/conversation-lease.ts';
import { bytesOfCalls } from '../answering/conversation-host.ts';
import { LeaseKeeper } from '../answering/lease/lease-keeper.ts';
import { MAX_ANSWER_MS, MAX_CALLS_BYTES } from '../answering/limits.ts';
import { type CallOutcome, failed } from '../tools/call-outcome.ts';

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
/** Answers that are ended at once, so that one with slow calls does not hold up the others. */
const PARALLEL_RECOVERIES = 8;

/** Ends the answers whose processes ended. */
export async function recoverAnswers(broker: ServiceBroker): Promise<void> {
  const overdue = await ConversationModel.find({
    'answering.until': { $lte: databaseClock.date() },
  })
    .limit(BATCH)
    .lean<ConversationDocument[]>();
  await mapInParallel(overdue, PARALLEL_RECOVERIES, async (conversation) => {
    await recoverAnswer(conversation, broker);
  });
}

/**
 * Ends the answer of a conversation whose lease has run out: what there is of it stays, and calls that were approved
 * are finished, as many as begin in the time of an answer. A call that cannot be repeated has an unknown outcome. False
 * where another process was first.
 */
export async function recoverAnswer(
  { _id: conversationId, workspaceId, answering }: ConversationDocument,
  broker: ServiceBroker,
): Promise<boolean> {
  if (!answering) return false;
  const lease: Lease = { conversationId, text: randomUUID() };
  if (!(await takeOver(lease, answering.lease))) return false;
  const message = await MessageModel.findOneAndUpdate(
    { _id: answering.messageId, status: 'ANSWERING' }, // its lease may be that of a process before the former one
    { $set: { lease: lease.text } },
    { returnDocument: 'after' },
  ).lean<MessageDocument>();
  const loss = new AbortController();
  const keeper = new LeaseKeeper(lease, () => loss.abort());
  try {
    if (message) {
      const caller = message.approvedBy;
      const runner = caller && new CallRunner({ broker, caller, workspaceId });
      const signal = AbortSignal.any([loss.signal, AbortSignal.timeout(MAX_ANSWER_MS)]);
      await endMessage(new AnswerRecord(message, lease.text), runner, signal);
    }
    await release(lease);
  } finally {
    keeper.stop();
  }
  return true;
}

/** Ends the calls that had begun, carries out those that had not, and ends the answer. Without an approval there is no runner. */
async function endMessage(
  record: AnswerRecord,
  runner: CallRunner | null,
  signal: AbortSignal,
): Promise<void> {
  const { message } = record;
  const { toolCalls } = message;
  for (const call of toolCalls) {
    if (call.status === 'RUNNING') Object.assign(call, await endOf(call, toolCalls, runner));
  }
  if (runner) await carryOutApproved(record, runner, signal, () => undefined);
  if (toolCalls.some(({ status }) => status === 'WAITING')) {
    await record.end('WAITING_FOR_APPROVAL');
    return;
  }
  record.append(`${message.content ? '\n\n' : ''}${BROKE_OFF}`);
  await record.end('FAILED');
}

/** The outcome of a call that had begun. */
async function endOf(
  call: StoredCall,
  calls: readonly StoredCall[],
  runner: CallRunner | null,
): Promise<CallOutcome> {
  if (!call.decidedAt || !runner) return NOT_READ;
  return isRepeatable(call) ? runner.run(call, MAX_CALLS_BYTES - bytesOfCalls(calls)) : UNKNOWN;
}

/** Whether a second call has no further effect: by the id that the first one was to give, or by its nature. */
const isRepeatable = ({ operation, reservedId }: StoredCall): boolean =>
  reservedId !== null || allTools().get(toolNameOf(operation))?.contract.idempotent === true;
