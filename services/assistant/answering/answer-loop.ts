import { fitContext } from '../context/fit-context.ts';
import type { CallTurn, Turn } from '../context/turns.ts';
import type { ConfiguredModel } from '../model/language-model.ts';
import {
  type ModelStep,
  type OfferedTool,
  UnfinishedStep,
  type Usage,
} from '../model/model-step.ts';
import { Interrupted } from './interruption.ts';
import {
  CONTEXT_REDUCTION,
  MAX_ANSWER_CHARS,
  MAX_CONTEXT_CHARS,
  MAX_FAULTY_STEPS,
  MAX_STEPS,
  MAX_TOKENS,
} from './limits.ts';
import { askRepeatedly } from './repeated-request.ts';

/** What an answer has used so far, before it goes on. */
export interface Spent {
  steps: number;
  faultySteps: number;
  chars: number;
  usage: Usage;
}

/** What became of the calls of one step. */
export interface StepCalls {
  turns: readonly CallTurn[];
  /** Whether calls wait for a decision, so that the model is not asked further. */
  isWaiting: boolean;
  /** Whether the model has called a tool that does not exist, or with wrong arguments. */
  isFaulty: boolean;
}

/** Who wants the answer: it gets the text as it comes, and carries out the calls of each step. */
export interface AnswerHost {
  onText(delta: string): void;
  onStep(step: ModelStep): Promise<StepCalls>;
}

export interface LoopRequest {
  model: ConfiguredModel;
  instructions: string;
  turns: readonly Turn[];
  tools: readonly OfferedTool[];
  spent: Spent;
  /** Aborted with an `Interrupted`. */
  signal: AbortSignal;
  msLeft: () => number;
  host: AnswerHost;
}

/** How an answer has ended. */
export interface LoopEnd {
  status: 'COMPLETE' | 'WAITING_FOR_APPROVAL' | 'LIMIT' | 'FAILED';
  /** A sentence for the person, where the model has not ended the answer itself. */
  sentence?: string;
  /** Whether the model has failed, or could not be reached. */
  isModelFailure?: true;
  /** Whether parts of the conversation were left out for the model. */
  isShortened: boolean;
}

/** The loop of an answer: asks the model for a step, has its calls carried out, and asks again. */
export class AnswerLoop {
  readonly #request: LoopRequest;
  readonly #turns: Turn[];
  readonly #spent: Spent;
  #maxChars = MAX_CONTEXT_CHARS;
  #isShortened = false;

  constructor(request: LoopRequest) {
    this.#request = request;
    this.#turns = [...request.turns];
    this.#spent = { ...request.spent };
  }

  /** Adds a message after the model's answer, so that `run` goes on. */
  say(text: string): void {
    this.#turns.push({ kind: 'person', text });
  }

  async run(): Promise<LoopEnd> {
    const end = await this.#takeSteps().catch((error: unknown) => endOf(error));
    return { ...end, isShortened: this.#isShortened };
  }

  async #takeSteps(): Promise<Omit<LoopEnd, 'isShortened'>> {
    for (;;) {
      const limit = this.#reachedLimit();
      if (limit) return { status: 'LIMIT', sentence: limit };
      const step = await this.#ask();
      const { turns, isWaiting, isFaulty } = await this.#request.host.onStep(step);
      this.#count(step, isFaulty);
      if (step.isCut) return { status: 'LIMIT', sentence: TOO_LONG };
      this.#turns.push({ kind: 'step', text: step.text, calls: turns });
      if (turns.length === 0) return step.text ? { status: 'COMPLETE' } : EMPTY;
      if (isWaiting) return { status: 'WAITING_FOR_APPROVAL' };
      if (this.#spent.faultySteps > MAX_FAULTY_STEPS) return FAULTY;
    }
  }

  #reachedLimit(): string | null {
    const { steps, usage, chars } = this.#spent;
    if (steps >= MAX_STEPS) {
      return `The answer ends here, after ${MAX_STEPS} steps.`;
    }
    if (usage.inputTokens + usage.outputTokens >= MAX_TOKENS) {
      return `The answer ends here, after ${MAX_TOKENS} tokens.`;
    }
    return chars >= MAX_ANSWER_CHARS ? TOO_LONG : null;
  }

  /** Asks for a step. A conversation that is too long for the model is shortened, and asked for again. */
  async #ask(): Promise<ModelStep> {
    const { model, instructions, tools, signal, msLeft, host } = this.#request;
    for (;;) {
      const { turns, shortenedResults, omittedTurns } = fitContext(this.#turns, this.#maxChars);
      this.#isShortened ||= shortenedResults + omittedTurns > 0;
      const maxChars = MAX_ANSWER_CHARS - this.#spent.chars;
      const onText = (delta: string) => host.onText(delta);
      const request = { instructions, turns, tools, signal, maxChars, onText };
      try {
        return await askRepeatedly(model, request, msLeft);
      } catch (error) {
        const isTooLong =
          error instanceof UnfinishedStep && error.failure.kind === 'context-too-long';
        if (!isTooLong || this.#maxChars < MAX_CONTEXT_CHARS) throw error;
        this.#maxChars *= CONTEXT_REDUCTION;
      }
    }
  }

  #count({ usage, text }: ModelStep, isFaulty: boolean): void {
    const { inputTokens, outputTokens } = this.#spent.usage;
    this.#spent.steps++;
    this.#spent.faultySteps += isFaulty ? 1 : 0;
    this.#spent.chars += text.length;
    this.#spent.usage = {
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
    };
  }
}

const TOO_LONG = 'The answer ends here, because it is too long.';
const EMPTY = { status: 'FAILED', sentence: 'The model has answered nothing.' } as const;
const FAULTY = {
  status: 'FAILED',
  sentence: 'The answer ends here: the model has called tools wrongly three times.',
} as const;

const INTERRUPTIONS = {
  time: {
    status: 'LIMIT',
    sentence: 'The answer ends here, after two minutes.',
  },
  stopping: {
    status: 'FAILED',
    sentence: 'The answer broke off, because the service is being restarted.',
  },
} as const;

/** The end of an answer whose step has failed. Throws an error that no end explains. */
function endOf(error: unknown): Omit<LoopEnd, 'isShortened'> {
  if (error instanceof UnfinishedStep) {
    return { status: 'FAILED', sentence: error.failure.message, isModelFailure: true };
  }
  if (error instanceof Interrupted && error.interruption !== 'lost') {
    return INTERRUPTIONS[error.interruption];
  }
  throw error;
}
