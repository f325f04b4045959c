import type { EvaluationCode } from '../../errors.ts';
import type { EvaluationFault } from '../../protocol.ts';

/** Characters of a fault's message. The rest is cut. */
const LONGEST_MESSAGE = 500;
/** V8's message of a full stack. */
const STACK_FULL = 'Maximum call stack size exceeded';

/** Ends an evaluation with a fault, which is sent to the parent. */
export class Refusal extends Error {
  readonly fault: EvaluationFault;

  constructor(code: EvaluationCode, message: string) {
    super(message);
    this.fault = { code, message, reason: null, position: null };
  }
}

/** Converts a thrown value to a fault. JSONata throws plain objects with `code` and `position`; V8 throws `Error`s. */
export function faultOf(thrown: unknown): EvaluationFault {
  if (thrown instanceof Refusal) return thrown.fault;
  const { code, message, position } = (thrown ?? {}) as Record<string, unknown>;
  const reason = typeof code === 'string' ? code : null;
  return {
    code: codeOf(reason, message),
    message: clip(reason === null && thrown instanceof Error ? describeError(thrown) : message),
    reason,
    position: typeof position === 'number' ? position : null,
  };
}

/** Describes an error of V8, whose own message names variables of JSONata. JSONata adds the function that was called. */
function describeError(error: Error & { token?: unknown }): string {
  if (error.message === STACK_FULL) return 'the expression nests or calls itself too deeply';
  const called = typeof error.token === 'string' ? `$${error.token}` : 'the expression';
  return error instanceof RangeError
    ? `${called} makes a text or a list that is too long, or has a number out of range`
    : `${called} cannot be computed with these values: check their types and their form`;
}

/** Chooses the code. A full stack counts as a lack of memory, because its depth depends on V8's optimisations so far. */
function codeOf(reason: string | null, message: unknown): EvaluationCode {
  if (reason === 'D1012') return 'EXPRESSION_TIMEOUT';
  return reason === null && message === STACK_FULL
    ? 'EXPRESSION_OUT_OF_MEMORY'
    : 'EXPRESSION_FAILED';
}

const clip = (message: unknown): string =>
  typeof message === 'string'
    ? message.slice(0, LONGEST_MESSAGE).toWellFormed()
    : 'the expression failed';
