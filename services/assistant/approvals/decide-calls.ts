import type { ServiceBroker } from 'moleculer';
import type { Caller } from '../../../contract/caller.ts';
import { sequenceOf } from '../../../contract/idempotency-rule.ts';
import { invalidField, NotFound, Problem } from '../../../contract/problem.ts';
import { toolNameOf } from '../../../contract/tools.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { allTools } from '../../tools/tools.ts';
import type { StoredCall } from '../answering/answer-record.ts';
import { release } from '../answering/lease/conversation-lease.ts';
import { conversationBusy, ToolCallDecided, ToolCallExpired } from '../assistant.problems.ts';
import type { BegunAnswer } from '../messages/begin-answer.ts';
import { claimAnswer } from '../messages/claim-answer.ts';
import { stillUndecided } from './undecided-calls.ts';

export interface Decision {
  toolCallId: number;
  approve: boolean;
}

export interface Decisions {
  conversationId: number;
  messageId: number;
  decisions: readonly Decision[];
  /** The id that the `Idempotency-Key` of the request has reserved. */
  approvalId?: number | undefined;
}

/**
 * Stores the decisions on the calls of a message, and claims the conversation for its answer to go on. What is approved
 * is what was shown: arguments never change. Throws 400 for a call that the message does not have, 404 without the
 * message, 409 for a call that is decided already or has expired.
 */
export async function decideCalls(
  { conversationId, messageId, decisions, approvalId }: Decisions,
  caller: Caller,
  broker: ServiceBroker,
): Promise<BegunAnswer> {
  assertDecidable(await findMessage(conversationId, messageId), decisions);
  const { lease } = await claimAnswer({ conversationId, messageId, messages: 0 }, broker);
  try {
    const current = await findMessage(conversationId, messageId);
    assertDecidable(current, decisions);
    const toolCalls = await decided(current, decisions);
    const message = await MessageModel.findOneAndUpdate(
      {
        _id: messageId,
        status: 'WAITING_FOR_APPROVAL',
        waitsUntil: { $gt: databaseClock.date() },
        ...stillUndecided(current.toolCalls),
      },
      {
        $set: { toolCalls, status: 'ANSWERING', lease: lease.text, approvedBy: caller },
        ...(approvalId === undefined ? {} : { $push: { approvalIds: approvalId } }),
        ...(toolCalls.some(({ status }) => status === 'WAITING') ? {} : NO_WAIT),
      },
      { returnDocument: 'after' },
    ).lean<MessageDocument>();
    if (message) return { message, lease };
    assertDecidable(await findMessage(conversationId, messageId), decisions);
    throw conversationBusy();
  } catch (error) {
    await release(lease);
    throw error;
  }
}

const NO_WAIT = { $unset: { waitsUntil: '' } };

async function findMessage(conversationId: number, _id: number): Promise<MessageDocument> {
  const message = await MessageModel.findOne({
    _id,
    conversationId,
    role: 'assistant',
  }).lean<MessageDocument>();
  if (message) return message;
  throw new Problem(NotFound, `There is no message ${_id} of the assistant in this conversation.`);
}

function assertDecidable(
  { toolCalls, waitsUntil }: MessageDocument,
  decisions: readonly Decision[],
): void {
  const seen = new Set<number>();
  for (const [at, { toolCallId }] of decisions.entries()) {
    const path = `decisions.${at}.toolCallId`;
    const call = toolCalls.find(({ id }) => id === toolCallId);
    if (!call) throw invalidField(path, 'unknown_tool_call', 'is no tool call of this message');
    if (seen.has(toolCallId)) throw invalidField(path, 'repeated', 'is decided twice');
    seen.add(toolCallId);
    if (call.status === 'EXPIRED') throw expired();
    if (call.status !== 'WAITING') throw alreadyDecided(toolCallId);
  }
  if (waitsUntil && waitsUntil <= databaseClock.date()) throw expired();
}

const alreadyDecided = (id: number): Problem =>
  new Problem(ToolCallDecided, `The tool call ${id} does not wait for a decision.`);
const expired = (): Problem =>
  new Problem(ToolCallExpired, 'The tool call has waited longer than 24 hours for its approval.');

const decided = (
  { toolCalls }: MessageDocument,
  decisions: readonly Decision[],
): Promise<StoredCall[]> => {
  const decidedAt = databaseClock.date();
  return Promise.all(
    toolCalls.map(async (call): Promise<StoredCall> => {
      const decision = decisions.find(({ toolCallId }) => toolCallId === call.id);
      if (!decision) return call;
      if (!decision.approve) return { ...call, status: 'REFUSED', decidedAt };
      return { ...call, status: 'APPROVED', decidedAt, reservedId: await reservedIdOf(call) };
    }),
  );
};

/** The id of the resource that a call creates, so that a call that is repeated after a crash creates no second one. */
async function reservedIdOf({ operation }: StoredCall): Promise<number | null> {
  const tool = allTools().get(toolNameOf(operation));
  const sequence = tool ? sequenceOf(tool.contract) : null;
  return sequence === null ? null : nextId(sequence);
}
