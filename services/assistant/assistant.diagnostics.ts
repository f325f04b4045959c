import type { MessageStatus } from '../../models/message.model.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';
import type { FailureKind } from './model/model-failure.ts';

/** A request to the model has ended. The tokens are those that the model's server has told. */
export const modelAsked = new DiagnosticEvent<{
  outcome: 'answered' | FailureKind;
  ms: number;
  inputTokens: number;
  outputTokens: number;
}>('assistant-model-asked');

/** An answer in a conversation has ended, or waits for an approval. */
export const answerEnded = new DiagnosticEvent<{ status: MessageStatus; ms: number }>(
  'assistant-answer-ended',
);
