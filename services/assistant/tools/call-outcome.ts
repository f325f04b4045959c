import type { ToolOutcome } from '../../tools/call-tool.ts';
import { fitValue } from '../../tools/fit-value.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Bytes of JSON of one result in the transcript; a longer one is cut, and says so. */
const MAX_RESULT_BYTES = 16 * 1024;
/** Bytes for the words that say what was left out. */
const LEFT_OUT_BYTES = 1024;
/** Characters of these words. */
const LEFT_OUT_CHARS = 500;

/** What became of a call, for the transcript and the model. */
export interface CallOutcome {
  status: 'DONE' | 'FAILED';
  /** JSON text. */
  result: string;
}

export const failed = (result: object): CallOutcome => ({
  status: 'FAILED',
  result: JSON.stringify(result),
});

/** The outcome of a call that had not begun when the time of its answer was over. */
export const NOT_BEGUN: CallOutcome = failed({
  code: 'NOT_CARRIED_OUT',
  detail: 'The answer had ended before the call began.',
});

/** The outcome of an operation, masked, and cut to about `bytes`. */
export function outcomeOf(outcome: ToolOutcome, bytes: number): CallOutcome {
  const room = Math.max(2 * LEFT_OUT_BYTES, Math.min(MAX_RESULT_BYTES, bytes));
  if (outcome.isError) return failed(fitted(maskSecrets(outcome.problem), room));
  return { status: 'DONE', result: JSON.stringify(fitted(maskSecrets(outcome.structured), room)) };
}

function fitted(value: unknown, room: number): object {
  if (value === null) return { done: true };
  const { value: fits, cuts } = fitValue(value, room - LEFT_OUT_BYTES);
  if (cuts.length === 0) return fits as object;
  const leftOut = cuts.map((cut) => `${cut}.`).join(' ');
  return { ...(fits as object), leftOut: leftOut.slice(0, LEFT_OUT_CHARS) };
}
