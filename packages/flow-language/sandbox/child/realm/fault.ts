import type { EvaluationCode } from '../../errors.ts';
import type { EvaluationFault } from '../../protocol.ts';

const LONGEST_MESSAGE = 500;
/** V8's own words. */
const STACK_FULL = 'Maximum call stack size exceeded';

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
    code: codeOf(reason, message),
    message: clip(typeof message === 'string' ? message : 'the expression failed'),
    reason,
    position: typeof position === 'number' ? position : null,
  };
}

/** How deep the native stack reaches is up to what the engine has optimised so far: it is a limit of memory. */
function codeOf(reason: string | null, message: unknown): EvaluationCode {
  if (reason === 'D1012') return 'EXPRESSION_TIMEOUT';
  return reason === null && message === STACK_FULL
    ? 'EXPRESSION_OUT_OF_MEMORY'
    : 'EXPRESSION_FAILED';
}

function clip(text: string): string {
  return text.slice(0, LONGEST_MESSAGE).toWellFormed();
}
