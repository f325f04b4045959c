import { setTimeout as sleep } from 'node:timers/promises';
import { modelAsked } from '../assistant.diagnostics.ts';
import type { ConfiguredModel } from '../model/language-model.ts';
import type { FailureKind } from '../model/model-failure.ts';
import {
  askModel,
  type ModelStep,
  type StepRequest,
  UnfinishedStep,
  type Usage,
} from '../model/model-step.ts';

/** Times that the model is asked for one step. */
const MAX_ATTEMPTS = 4;
/** Milliseconds before the second attempt, where the server names no time; twice as long before each further one. */
const BACKOFF_MS = 500;
/** The share of a pause that is left to chance, so that many answers do not ask at the same time again. */
const JITTER = 0.25;

/** Asks the model once. Its end is a diagnostic event, and a failure is in the log. */
async function askOnce(model: ConfiguredModel, request: StepRequest): Promise<ModelStep> {
  const begunAt = performance.now();
  const tell = (outcome: 'answered' | FailureKind, { inputTokens, outputTokens }: Usage) =>
    modelAsked.publish({ outcome, ms: performance.now() - begunAt, inputTokens, outputTokens });
  try {
    const step = await askModel(model, request);
    tell('answered', step.usage);
    return step;
  } catch (error) {
    if (error instanceof UnfinishedStep) {
      model.log.warn(error.failure);
      tell(error.failure.kind, { inputTokens: 0, outputTokens: 0 });
    }
    throw error;
  }
}

/**
 * Asks the model, and asks again when it was busy or away and had said nothing. A server that names a time is asked
 * again then, unless the answer has to end before.
 */
export async function askRepeatedly(
  model: ConfiguredModel,
  request: StepRequest,
  msLeft: () => number,
): Promise<ModelStep> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(model, request);
    } catch (error) {
      if (!(error instanceof UnfinishedStep)) throw error;
      const { failure, text } = error;
      if (!failure.isTemporary || text || attempt === MAX_ATTEMPTS) throw error;
      const backoff = BACKOFF_MS * 2 ** (attempt - 1) * (1 + Math.random() * JITTER);
      const pause = Math.max(failure.retryAfterMs ?? 0, backoff);
      if (pause >= msLeft()) throw error;
      await sleep(pause, undefined, { signal: request.signal }).catch(() => undefined);
      request.signal.throwIfAborted();
    }
  }
}
