import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  type AgentEffect,
  type FlowError,
  flowError,
  type Json,
  referenceNotFound,
} from '@workspace-automation/flow-language';
import { InvalidRequest, isProblem, NotFound } from '../../../../../contract/problem.ts';
import { AgentNotConfigured } from '../../../../assistant/assistant.problems.ts';
import { PromptAnswer } from '../../../../assistant/contract/prompt-answer.ts';
import { type CallTime, MAX_AGENT_CALL_MS } from './call-time.ts';
import { completeCall } from './complete-call.ts';
import type { EffectContext, EffectEnd } from './effect.ts';

/** Asks the agent. Neither its prompt nor its answer shows a secret that the run has sent. */
export function callAgent(effect: AgentEffect, context: EffectContext): Promise<EffectEnd> {
  const answerPrompt = async (time: CallTime) => {
    const answer = await readAnswer(await askAgent(effect, context, time), context, time);
    const { exchange, secrets } = context;
    exchange.noteTranscript(secrets.maskText(JSON.stringify(answer.transcript)));
    if (!answer.ok) throw errorOf(answer);
    return secrets.maskJson(answer.value as Json);
  };
  return completeCall(context, answerPrompt, MAX_AGENT_CALL_MS);
}

/** Opens the stream of the answer, which ends as soon as nobody reads it. */
async function askAgent(
  { prompt, schema, tools }: AgentEffect,
  { run, secrets, tools: { assistant } }: EffectContext,
  time: CallTime,
): Promise<Readable> {
  const question = { workspaceId: run.workspaceId, prompt: secrets.maskText(prompt), schema };
  try {
    return await time.await(assistant.answerPrompt(run, { ...question, tools }));
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** Reads the answer: JSON after the spaces that keep the stream open while the agent works. */
async function readAnswer(
  stream: Readable,
  { answers, signal }: EffectContext,
  time: CallTime,
): Promise<PromptAnswer> {
  try {
    const json = await time.await(text(stream));
    const read = () => PromptAnswer.parse(JSON.parse(json));
    return await answers.read(Buffer.byteLength(json), read, signal);
  } finally {
    stream.destroy();
  }
}

/** Makes the flow's error for an answer that the agent did not give. */
function errorOf({ code, detail }: Extract<PromptAnswer, { ok: false }>): FlowError {
  switch (code) {
    case 'AGENT_LIMIT':
      return flowError('timeout', code, detail);
    case 'AGENT_OUTPUT_INVALID':
      return flowError('validation', code, detail);
    case 'MODEL_FAILED':
      return flowError('communication', 'CONNECTION_FAILED', detail);
  }
}

/** Makes the flow's error for a question that the assistant refuses; null for any other error. */
function refusalOf(error: unknown): FlowError | null {
  if (isProblem(error, AgentNotConfigured)) {
    return flowError('runtime', 'AGENT_NOT_CONFIGURED', error.message, AgentNotConfigured.status);
  }
  if (isProblem(error, NotFound)) return referenceNotFound('the workspace has been deleted');
  if (!isProblem(error, InvalidRequest)) return null;
  const { errors = [] } = error.data;
  const unknown = errors.find(({ code }) => code === 'not_a_reading_tool');
  if (unknown) return referenceNotFound(unknown.message);
  const faults = errors.map(({ path, message }) => `"${path}" ${message}`);
  return flowError('validation', 'INPUT_REFUSED', `the prompt is refused: ${faults.join('; ')}`);
}
