import { readInBatches } from '../../../mixins/database/row-cursor.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { callTurn } from '../answering/calls/call-turn.ts';
import { MAX_CONTEXT_CHARS } from '../answering/limits.ts';
import { OMISSION } from '../context/fit-context.ts';
import type { ImageRoom } from '../context/image-memory.ts';
import { personTurn } from '../context/person-turn.ts';
import { charsOf, type Turn } from '../context/turns.ts';

/** Messages of one reply of the database. */
const BATCH_SIZE = 20;

/**
 * Reads what the model is sent of a conversation: the newest messages, about as many as its context has room for. They
 * begin with a message of the person. Where older ones are missing, that is marked.
 */
export async function readHistory(conversationId: number, room: ImageRoom): Promise<Turn[]> {
  const query = MessageModel.find({ conversationId }).sort({ position: -1 }).lean();
  const messages: Turn[][] = [];
  let chars = 0;
  for await (const message of readInBatches<MessageDocument>(query, BATCH_SIZE)) {
    const turns = message.role === 'user' ? [await personTurn(message, room)] : stepsOf(message);
    messages.push(turns);
    chars += charsOf(turns);
    if (chars <= 2 * MAX_CONTEXT_CHARS || message.role !== 'user') continue;
    if (message.position > 1) messages.push([OMISSION]);
    break; // what is shortened makes room for as much again
  }
  return messages.reverse().flat();
}

/** The turns of an answer, one for each step. */
export function stepsOf({ content, stepEnds, toolCalls }: MessageDocument): Turn[] {
  const steps = stepEnds.map((end, step): Turn & { kind: 'step' } => ({
    kind: 'step',
    text: content.slice(stepEnds[step - 1] ?? 0, end),
    calls: toolCalls.filter((call) => call.step === step).map(callTurn),
  }));
  const rest = content.slice(stepEnds.at(-1) ?? 0); // of a step that broke off, or words of the service
  const last = steps.at(-1);
  if (!rest) return steps;
  if (last && last.calls.length === 0)
    return [...steps.slice(0, -1), { ...last, text: last.text + rest }];
  return [...steps, { kind: 'step', text: rest, calls: [] }];
}
