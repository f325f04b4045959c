import { type FailureKind, ModelFailure } from './model-failure.ts';

/** The codes and words by which servers say that a request is longer than the model's context. */
const CONTEXT_TOO_LONG =
  /context_length_exceeded|context (?:length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (?:available )?context/i;

/** The failure of an error that a request to the model has ended with. */
export function failureOf(error: unknown): ModelFailure {
  const own = findOwn(error);
  if (own) return own;
  const { name, statusCode, message, responseBody, responseHeaders } = error as LibraryError;
  if (statusCode === undefined) {
    if (name !== CALL) return new ModelFailure('broken');
    return new ModelFailure(isRedirection(error) ? 'refused' : 'unreachable');
  }
  if (statusCode < 400) return new ModelFailure('broken', { status: statusCode }); // not what was asked for
  const retryAfter = retryAfterOf(responseHeaders?.['retry-after']);
  return ofStatus(statusCode, responseBody ?? message ?? '', retryAfter);
}

/** Whether the server has answered with a redirection, which no request with the key follows. */
function isRedirection(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/unexpected redirect/i.test(cause.message)) return true;
  }
  return false;
}

/** The name of an error of a request, which has no status when the server was not reached. */
const CALL = 'AI_APICallError';

/** What an error of the library may have: one of a response, or one that a stream of events tells of. */
interface LibraryError {
  name?: string;
  message?: string;
  statusCode?: number;
  responseBody?: string;
  responseHeaders?: Record<string, string>;
}

function ofStatus(status: number, text: string, retryAfterMs?: number): ModelFailure {
  const given = retryAfterMs === undefined ? { status } : { status, retryAfterMs };
  return new ModelFailure(kindOf(status, text), given);
}

function kindOf(status: number, text: string): FailureKind {
  if (status === 429) return 'busy';
  if (status >= 500 || status === 408) return 'unavailable';
  return status === 413 || CONTEXT_TOO_LONG.test(text) ? 'context-too-long' : 'refused';
}

/** The failure that the bounds of the response ended the request with, among the causes of an error. */
function findOwn(error: unknown): ModelFailure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ModelFailure) return cause;
  }
  return undefined;
}

/** Milliseconds of a `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterOf(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
