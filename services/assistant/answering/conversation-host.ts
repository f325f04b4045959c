import { nextId } from '../../../mixins/database/ids.ts';
import type { ModelStep } from '../model/model-step.ts';
import { NOT_BEGUN } from '../tools/call-outcome.ts';
import type { Tools } from '../tools/offered-tools.ts';
import type { AnswerHost, StepCalls } from './answer-loop.ts';
import type { AnswerRecord, StoredCall } from './answer-record.ts';
import { checkCalls } from './calls/asked-calls.ts';
import type { CallRunner } from './calls/call-runner.ts';
import { callTurn } from './calls/call-turn.ts';
import { mapInParallel } from './calls/map-in-parallel.ts';
import { storedCallOf } from './calls/stored-call.ts';
import { MAX_CALLS_BYTES, PARALLEL_CALLS } from './limits.ts';

export interface HostOptions {
  record: AnswerRecord;
  tools: Tools;
  runner: CallRunner;
  workspaceId: number;
  signal: AbortSignal;
  onText: (delta: string) => void;
  onTool: (call: StoredCall) => void;
  /** The end of the time in which calls can be approved. */
  approvalEnd: () => Date;
}

/** The host of an answer in a conversation: reading calls are carried out, and all others wait for a decision. */
export class ConversationHost implements AnswerHost {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  onText(delta: string): void {
    this.#options.record.append(delta);
    this.#options.onText(delta);
  }

  async onStep(step: ModelStep): Promise<StepCalls> {
    const { record, onTool, signal } = this.#options;
    const { message } = record;
    const calls = await this.#storedCalls(step, message.stepEnds.length);
    const isFaulty = calls.some(({ status }) => status === 'FAILED');
    message.stepEnds.push(message.content.length);
    message.toolCalls.push(...calls);
    message.faultySteps += isFaulty ? 1 : 0;
    message.usage.inputTokens += step.usage.inputTokens;
    message.usage.outputTokens += step.usage.outputTokens;
    const isWaiting = calls.some(({ status }) => status === 'WAITING');
    if (isWaiting) message.waitsUntil = this.#options.approvalEnd();
    await record.save();
    for (const call of calls) if (call.status !== 'RUNNING') onTool(call);
    const reading = calls.filter(({ status }) => status === 'RUNNING');
    await mapInParallel(reading, PARALLEL_CALLS, (call) => this.#read(call));
    if (reading.length) await record.save();
    if (!isWaiting) signal.throwIfAborted(); // what waits can be approved later
    return { turns: calls.map(callTurn), isWaiting, isFaulty };
  }

  /** The calls of a step as they are stored before anything is done. */
  async #storedCalls({ calls }: ModelStep, step: number): Promise<StoredCall[]> {
    const { tools, workspaceId } = this.#options;
    const room = MAX_CALLS_BYTES - this.#usedBytes();
    const checked = checkCalls(calls, tools, workspaceId, room);
    return Promise.all(
      checked.map(async (call) => storedCallOf(call, await nextId('tool_calls'), step)),
    );
  }

  async #read(call: StoredCall): Promise<void> {
    const { runner, signal, onTool } = this.#options;
    const outcome = signal.aborted
      ? NOT_BEGUN
      : await runner.run(call, MAX_CALLS_BYTES - this.#usedBytes());
    Object.assign(call, outcome);
    onTool(call);
  }

  #usedBytes(): number {
    return bytesOfCalls(this.#options.record.message.toolCalls);
  }
}

/** The bytes of arguments and results. */
export const bytesOfCalls = (calls: readonly StoredCall[]): number =>
  calls.reduce(
    (sum, { arguments: given, result }) =>
      sum + Buffer.byteLength(given) + Buffer.byteLength(result ?? ''),
    0,
  );
