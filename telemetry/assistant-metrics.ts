import { Counter, Histogram, type Registry } from 'prom-client';
import { answerEnded, modelAsked } from '../services/assistant/assistant.diagnostics.ts';

/** Bucket bounds in seconds for requests to the model, and for answers, which take two minutes at most. */
const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120];

/** Counts answers of the assistant and requests to its model from the diagnostic events of this process. */
export function countAnswers(registers: Registry[]): void {
  const requests = new Histogram({
    name: 'assistant_model_request_duration_seconds',
    help: 'Requests to the model of the assistant by what became of them',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  });
  const tokens = new Counter({
    name: 'assistant_model_tokens_total',
    help: 'Tokens that the model has told, of requests (input) and answers (output)',
    labelNames: ['direction'],
    registers,
  });
  modelAsked.subscribe(({ outcome, ms, inputTokens, outputTokens }) => {
    requests.observe({ outcome }, ms / 1_000);
    tokens.inc({ direction: 'input' }, inputTokens);
    tokens.inc({ direction: 'output' }, outputTokens);
  });
  const answers = new Histogram({
    name: 'assistant_answer_duration_seconds',
    help: 'Answers of the assistant by the status in which they ended or wait',
    labelNames: ['status'],
    buckets: BUCKETS,
    registers,
  });
  answerEnded.subscribe(({ status, ms }) => answers.observe({ status }, ms / 1_000));
}
