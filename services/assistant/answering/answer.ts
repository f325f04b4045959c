import type { ServiceBroker } from 'moleculer';
import type { Role } from '../../../contract/access-rule.ts';
import type { Actor, Caller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { carryOutApproved } from '../approvals/carry-out.ts';
import { approvalEnd } from '../approvals/expire-calls.ts';
import { answerEnded } from '../assistant.diagnostics.ts';
import type { ImageRoom } from '../context/image-memory.ts';
import type { Message } from '../contract/resources.ts';
import type { BegunAnswer } from '../messages/begin-answer.ts';
import { readHistory } from '../messages/history.ts';
import { showMessage, showToolCall } from '../messages/show-message.ts';
import type { ConfiguredModel } from '../model/language-model.ts';
import { toolsOfRole } from '../tools/offered-tools.ts';
import type { AnswerListener } from './delivery/answer-listener.ts';
import { AnswerLoop, type LoopEnd, type Spent } from './answer-loop.ts';
import { AnswerRecord, type StoredCall } from './answer-record.ts';
import { CallRunner } from './calls/call-runner.ts';
import { ConversationHost } from './conversation-host.ts';
import { release } from './lease/conversation-lease.ts';
import { instructionsOf } from './instructions.ts';
import { LeaseKeeper } from './lease/lease-keeper.ts';
import type { AnswerTime } from './time-left.ts';

/** Whose answer it is, and in which conversation. */
export interface AnswerSetting {
  broker: ServiceBroker;
  model: ConfiguredModel;
  workspaceId: number;
  /** The creator of the conversation, who is the caller. */
  creator: Actor;
  caller: Caller;
  role: Role;
  client: Client | undefined;
  requestId: string | undefined;
  listener: AnswerListener;
  time: AnswerTime;
  images: ImageRoom;
}

/** What the person reads after an answer that a limit has ended. */
const GO_ON = 'Write a message to go on.';
/** Parts of the conversation were left out: what the person reads of that at the end of the answer. */
const SHORTENED = '[Older parts of this long conversation were left out for the model.]';

/** Makes an answer that has begun, to its end or to calls that need an approval. Answers its message. */
export async function makeAnswer(
  { message, lease }: BegunAnswer,
  setting: AnswerSetting,
): Promise<Message> {
  const { time, creator, listener } = setting;
  const begunAt = performance.now();
  const record = new AnswerRecord(message, lease.text);
  const lose = () => time.interrupt('lost');
  const keeper = new LeaseKeeper(lease, lose, () => record.saveText());
  const moment = () => ({ creator, now: databaseClock.date(), isAnswering: true });
  const onTool = (call: StoredCall) => listener.onTool(showToolCall(call, moment(), message));
  const say = (text: string) => {
    const said = record.message.content ? `\n\n${text}` : text;
    record.append(said);
    listener.onText(said);
  };
  try {
    const { status, sentence, isShortened } = await carryOn(record, setting, onTool);
    if (sentence) say(status === 'LIMIT' ? `${sentence} ${GO_ON}` : sentence);
    if (isShortened) say(SHORTENED);
    await record.end(status);
    await release(lease);
    answerEnded.publish({ status, ms: performance.now() - begunAt });
    return showMessage(record.message, moment());
  } finally {
    keeper.stop();
    setting.images.release();
  }
}

async function carryOn(
  record: AnswerRecord,
  setting: AnswerSetting,
  onTool: (call: StoredCall) => void,
): Promise<LoopEnd> {
  const { broker, model, workspaceId, caller, role, client, requestId, listener, time } = setting;
  const { message } = record;
  const runner = new CallRunner({ broker, caller, workspaceId, client, requestId });
  await carryOutApproved(record, runner, time.signal, onTool);
  if (message.toolCalls.some(({ status }) => status === 'WAITING')) {
    return { status: 'WAITING_FOR_APPROVAL', isShortened: false };
  }
  const tools = toolsOfRole(role);
  const host = new ConversationHost({
    record,
    tools,
    runner,
    workspaceId,
    signal: time.signal,
    onText: (delta) => listener.onText(delta),
    onTool,
    approvalEnd,
  });
  const loop = new AnswerLoop({
    model,
    instructions: instructionsOf({ workspaceId, role, now: databaseClock.date() }),
    turns: await readHistory(message.conversationId, setting.images),
    tools: [...tools.values()],
    spent: spentOf(message),
    signal: time.signal,
    msLeft: time.msLeft,
    host,
  });
  return loop.run();
}

const spentOf = ({ stepEnds, faultySteps, content, usage }: BegunAnswer['message']): Spent => ({
  steps: stepEnds.length,
  faultySteps,
  chars: content.length,
  usage: { ...usage },
});
