import type { Json } from '@workspace-automation/flow-language';
import type { ServiceBroker } from 'moleculer';
import type { Caller } from '../../../contract/caller.ts';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { AnswerLoop, type LoopEnd } from '../answering/answer-loop.ts';
import { CallRunner } from '../answering/calls/call-runner.ts';
import { Interrupted } from '../answering/interruption.ts';
import type { AnswerTime } from '../answering/time-left.ts';
import type { PromptAnswer } from '../contract/prompt-answer.ts';
import type { ConfiguredModel } from '../model/language-model.ts';
import type { Tools } from '../tools/offered-tools.ts';
import { checkOutput } from './check-output.ts';
import { PromptHost } from './prompt-host.ts';
import { promptInstructionsOf } from './prompt-instructions.ts';

/** Corrections of one answer. After one more answer that does not match its schema, it ends with `AGENT_OUTPUT_INVALID`. */
const MAX_CORRECTIONS = 2;

export interface PromptSetting {
  broker: ServiceBroker;
  model: ConfiguredModel;
  caller: Caller;
  requestId: string | undefined;
  workspaceId: number;
  /** The owner and the workspace for whom values are checked. */
  share: Share;
  prompt: string;
  /** JSON Schema of the answer; null for text. */
  schema: Json;
  tools: Tools;
  time: AnswerTime;
}

/** Answers the prompt of a flow with a value of its schema. The model is told what is wrong with a value, twice. */
export async function answerPrompt(setting: PromptSetting): Promise<PromptAnswer> {
  const { schema, share } = setting;
  const { loop, host } = beginLoop(setting);
  for (let corrections = 0; ; corrections++) {
    const end = await loop.run();
    const { transcript } = host;
    if (isStopping(setting.time)) throw unavailable();
    if (end.status !== 'COMPLETE') return { ...refusalOf(end), transcript };
    const output = await checkOutput(host.text, schema, share);
    if (output.ok) return { ok: true, value: output.value, transcript };
    if (corrections === MAX_CORRECTIONS) {
      return { ok: false, code: 'AGENT_OUTPUT_INVALID', detail: output.fault, transcript };
    }
    loop.say(`${output.fault} Answer again, with the corrected JSON value alone.`);
  }
}

function beginLoop(setting: PromptSetting): { loop: AnswerLoop; host: PromptHost } {
  const { broker, caller, requestId, workspaceId, prompt, schema, tools, time, model } = setting;
  const runner = new CallRunner({ broker, caller, workspaceId, requestId });
  const host = new PromptHost({ tools, runner, workspaceId, signal: time.signal });
  const loop = new AnswerLoop({
    model,
    instructions: promptInstructionsOf({ workspaceId, schema, now: databaseClock.date() }),
    turns: [{ kind: 'person', text: prompt }],
    tools: [...tools.values()],
    spent: { steps: 0, faultySteps: 0, chars: 0, usage: { inputTokens: 0, outputTokens: 0 } },
    signal: time.signal,
    msLeft: time.msLeft,
    host,
  });
  return { loop, host };
}

/** Whether the process stops, so that another one has to answer. */
const isStopping = ({ signal }: AnswerTime): boolean =>
  signal.reason instanceof Interrupted && signal.reason.interruption === 'stopping';

const unavailable = (): Problem =>
  new Problem(Unavailable, 'The assistant is being restarted.', { retryAfter: 1 });

/** The reason why the model has given no answer. */
function refusalOf({ status, sentence = '', isModelFailure }: LoopEnd) {
  const code =
    status === 'LIMIT' ? 'AGENT_LIMIT' : isModelFailure ? 'MODEL_FAILED' : 'AGENT_OUTPUT_INVALID';
  return { ok: false, code, detail: sentence } as const;
}
