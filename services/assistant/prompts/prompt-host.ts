import type { Json } from '@workspace-automation/flow-language';
import { fitValue } from '../../tools/fit-value.ts';
import type { AnswerHost, StepCalls } from '../answering/answer-loop.ts';
import type { StoredCall } from '../answering/answer-record.ts';
import { type CheckedCall, checkCalls } from '../answering/calls/asked-calls.ts';
import type { CallRunner } from '../answering/calls/call-runner.ts';
import { callTurn } from '../answering/calls/call-turn.ts';
import { MAX_CALLS_BYTES, PARALLEL_CALLS } from '../answering/limits.ts';
import { mapInParallel } from '../answering/calls/map-in-parallel.ts';
import { storedCallOf } from '../answering/calls/stored-call.ts';
import type { PromptToolCall } from '../contract/prompt-answer.ts';
import type { ModelStep } from '../model/model-step.ts';
import { NOT_BEGUN } from '../tools/call-outcome.ts';
import type { Tools } from '../tools/offered-tools.ts';

/** Bytes of arguments, and of a result, in the transcript; a longer value is cut. */
const MAX_SHOWN_BYTES = 1024;
/** Calls of the transcript. Of more calls the last ones are kept. */
const MAX_SHOWN_CALLS = 16;

interface HostOptions {
  tools: Tools;
  runner: CallRunner;
  workspaceId: number;
  signal: AbortSignal;
}

/** The host of an answer to the prompt of a flow: all its tools read, and are called at once. */
export class PromptHost implements AnswerHost {
  readonly #options: HostOptions;
  readonly #calls: StoredCall[] = [];
  #usedBytes = 0;
  /** The text of the last step. */
  text = '';

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** The last calls, with their arguments and results cut. */
  get transcript(): PromptToolCall[] {
    return this.#calls.slice(-MAX_SHOWN_CALLS).map(({ operation, arguments: given, ...call }) => ({
      operation,
      arguments: shown(given),
      status: call.status === 'DONE' ? 'DONE' : 'FAILED',
      result: shown(call.result ?? 'null'),
    }));
  }

  onText(): void {
    // The text counts as a whole.
  }

  async onStep(step: ModelStep): Promise<StepCalls> {
    const { tools, workspaceId, runner, signal } = this.#options;
    this.text = step.text;
    const checked = checkCalls(step.calls, tools, workspaceId, this.#room);
    const calls = checked.map((call) => this.#take(call));
    const isFaulty = calls.some(({ status }) => status === 'FAILED');
    const open = calls.filter(({ status }) => status === 'RUNNING');
    await mapInParallel(open, PARALLEL_CALLS, async (call) => {
      Object.assign(call, signal.aborted ? NOT_BEGUN : await runner.run(call, this.#room));
      this.#usedBytes += Buffer.byteLength(call.result ?? '');
    });
    signal.throwIfAborted();
    return { turns: calls.map(callTurn), isWaiting: false, isFaulty };
  }

  get #room(): number {
    return MAX_CALLS_BYTES - this.#usedBytes;
  }

  #take(checked: CheckedCall): StoredCall {
    const call = storedCallOf(checked, this.#calls.length + 1, 0);
    this.#usedBytes += Buffer.byteLength(call.arguments);
    this.#calls.push(call);
    return call;
  }
}

const shown = (json: string): Json => fitValue(JSON.parse(json), MAX_SHOWN_BYTES).value as Json;
