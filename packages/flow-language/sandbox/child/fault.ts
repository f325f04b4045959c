import type { EvaluationCode } from '../errors.ts';
import type { EvaluationFault } from '../protocol.ts';

const LONGEST_MESSAGE = 500;

/** An evaluation's end without a value, as it goes to the parent. */
export class Refusal extends Error {
  readonly fault: EvaluationFault;

  constructor(code: EvaluationCode, message: string) {
    super(message);
    this.fault = { code, message, reason: null, position: null };
  }
}

/** JSONata throws plain objects with `code` and `position`; the engine's own are `Error`s. */
export function faultOf(thrown: unknown): EvaluationFault {
  if (thrown instanceof Refusal) return thrown.fault;
  const { code, message, position } = (thrown ?? {}) as Record<string, unknown>;
  const reason = typeof code === 'string' ? code : null;
  return {
    code: reason === 'D1012' ? 'EXPRESSION_TIMEOUT' : 'EXPRESSION_FAILED',
    message: clip(typeof message === 'string' ? message : 'the expression failed'),
    reason,
    position: typeof position === 'number' ? position : null,
  };
}

function clip(text: string): string {
  return text.slice(0, LONGEST_MESSAGE).toWellFormed();
}
