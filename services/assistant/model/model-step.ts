import type { ToolSet } from 'ai';
import type { Turn } from '../context/turns.ts';
import { failureOf } from './classify-failure.ts';
import type { ConfiguredModel } from './language-model.ts';
import { ModelFailure } from './model-failure.ts';
import { modelMessages } from './model-messages.ts';

/** A tool as the model is offered it. */
export interface OfferedTool {
  name: string;
  description: string;
  /** The JSON Schema of the arguments. */
  inputSchema: object;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** A tool call that the model asks for. */
export interface AskedCall {
  name: string;
  /** The arguments; a text where the model's text is no JSON. */
  arguments: unknown;
}

/** One answer of the model. */
export interface ModelStep {
  text: string;
  calls: AskedCall[];
  usage: Usage;
  /** Whether the model, or a limit of the caller, ended the answer before its end. */
  isCut: boolean;
}

export interface StepRequest {
  instructions: string;
  turns: readonly Turn[];
  tools: readonly OfferedTool[];
  /** Characters of text at which the answer is cut. */
  maxChars: number;
  signal: AbortSignal;
  onText: (delta: string) => void;
}

/**
 * Characters of the arguments of all calls of one answer, as many as 16 calls may have. A longer answer fails: its JSON
 * would be parsed at once, which takes seconds for 10 MB.
 */
const MAX_ARGUMENTS_CHARS = 1024 * 1024;

/** Asks the model for one answer. Throws a `ModelFailure`, or the reason of the signal. */
export async function askModel(
  { ai, model }: ConfiguredModel,
  request: StepRequest,
): Promise<ModelStep> {
  const { instructions, turns, tools, maxChars, signal, onText } = request;
  const cut = new AbortController();
  const { stream } = ai.streamText({
    model,
    instructions,
    messages: modelMessages(turns),
    tools: toolSetOf(ai, tools),
    stopWhen: ai.isStepCount(1), // the next step is the caller's
    maxRetries: 0,
    abortSignal: AbortSignal.any([signal, cut.signal]),
    onError: () => undefined, // the library would write it to stderr
  });
  const step: ModelStep = { text: '', calls: [], usage: NO_USAGE, isCut: false };
  let argumentsChars = 0;
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta') {
        const delta = part.text.slice(0, maxChars - step.text.length);
        step.text += delta;
        if (delta) onText(delta);
        if (delta.length < part.text.length) return { ...step, calls: [], isCut: true };
      } else if (part.type === 'tool-input-delta') {
        argumentsChars += part.delta.length;
        if (argumentsChars > MAX_ARGUMENTS_CHARS) throw new ModelFailure('too-large');
      } else if (part.type === 'tool-call') {
        step.calls.push({ name: part.toolName, arguments: part.input });
      } else if (part.type === 'error') {
        throw part.error;
      } else if (part.type === 'finish-step') {
        step.isCut = part.finishReason === 'length';
        step.usage = usageOf(part.usage);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new UnfinishedStep(failureOf(error), step.text);
  } finally {
    cut.abort();
  }
  signal.throwIfAborted();
  if (step.isCut) return { ...step, calls: [] };
  return step;
}

/** A failure of the model after a part of its answer. */
export class UnfinishedStep extends Error {
  readonly failure: ModelFailure;
  readonly text: string;

  constructor(failure: ModelFailure, text: string) {
    super(failure.message);
    this.name = 'UnfinishedStep';
    this.failure = failure;
    this.text = text;
  }
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

const usageOf = (usage: {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}): Usage => ({
  inputTokens: wholeOf(usage.inputTokens),
  outputTokens: wholeOf(usage.outputTokens),
});

/** A count as the server tells it, which may be anything. */
const wholeOf = (count: number | undefined): number =>
  Number.isSafeInteger(count) && count !== undefined && count > 0 ? count : 0;

const toolSetOf = (ai: ConfiguredModel['ai'], tools: readonly OfferedTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      ai.tool({ description, inputSchema: ai.jsonSchema(inputSchema) }),
    ]),
  );
