import { Errors } from 'moleculer';
import {
  DeadlinePassed,
  type FieldFault,
  InternalError,
  type Problem,
  type ProblemType,
  Unavailable,
} from '../../contract/problem.ts';
import type { Reply } from './reply.ts';

export interface ProblemAnswer {
  type: ProblemType;
  detail: string;
  errors?: readonly FieldFault[];
  retryAfter?: number;
  members?: Readonly<Record<string, unknown>>;
}

/** The problems of Moleculer's own errors, by error type: no service, a deadline, a rejected call, a broken stream. */
const MOLECULER_PROBLEMS: Record<string, ProblemType> = {
  SERVICE_NOT_FOUND: Unavailable,
  SERVICE_NOT_AVAILABLE: Unavailable,
  REQUEST_REJECTED: Unavailable,
  STREAM_CLOSED: Unavailable,
  REQUEST_TIMEOUT: DeadlinePassed,
  REQUEST_SKIPPED: DeadlinePassed,
};
const DETAIL: Record<string, string> = {
  [Unavailable.code]: 'A part of the service cannot be reached at the moment.',
  [DeadlinePassed.code]: 'The operation took too long and was given up.',
  [InternalError.code]: 'Something went wrong on our side.',
};

/**
 * Turns an error into the problem for the client: a problem of the operation with its detail, any other error as
 * a 5xx without details of the system.
 */
export function problemAnswer(
  error: unknown,
  named: ReadonlyMap<string, ProblemType>,
): ProblemAnswer {
  if (!(error instanceof Errors.MoleculerError)) return hideError(InternalError);
  const data = error.data as Partial<Problem['data']> | undefined;
  // Moleculer's own error of a lost or late call has the type of the problem of a slow client.
  const isOwn = !(error instanceof Errors.RequestTimeoutError);
  const type = isOwn ? named.get(error.type) : undefined;
  if (type) {
    return {
      type,
      detail: error.message,
      ...(Array.isArray(data?.errors) ? { errors: data.errors } : {}),
      ...(data?.retryAfter ? { retryAfter: data.retryAfter } : {}),
      ...(data?.members ? { members: data.members } : {}),
    };
  }
  const gone = error.code === Unavailable.status ? Unavailable : InternalError;
  return hideError(MOLECULER_PROBLEMS[error.type] ?? gone);
}

/** The account that a refusal names, for the log only; the client never gets it. */
export function principalOf(error: unknown): string | undefined {
  if (!(error instanceof Errors.MoleculerError)) return undefined;
  const { principal } = (error.data ?? {}) as Partial<Problem['data']>;
  return typeof principal === 'string' && PRINCIPAL.test(principal) ? principal : undefined;
}

/** The form of an account's name, such as `user:7`. */
const PRINCIPAL = /^[\w:.-]{1,64}$/;

function hideError(type: ProblemType): ProblemAnswer {
  return {
    type,
    detail: DETAIL[type.code] ?? type.title,
    ...(type === Unavailable ? { retryAfter: 1 } : {}),
  };
}

/** The problem document of an answer (RFC 9457). */
export function problemBody(requestId: string, answer: ProblemAnswer): string {
  const { type, detail, errors, members } = answer;
  return JSON.stringify({
    type: `urn:problem:${type.code.toLowerCase().replaceAll('_', '-')}`,
    title: type.title,
    status: type.status,
    detail,
    instance: requestId,
    code: type.code,
    ...(errors && type.status === 400 ? { errors } : {}),
    ...members,
  });
}

/** The reply of an answer, with `application/problem+json`. `challenge` is the `WWW-Authenticate` of a 401. */
export function problemReply(
  requestId: string,
  answer: ProblemAnswer,
  challenge = 'Bearer',
): Reply {
  const { type, retryAfter } = answer;
  return {
    status: type.status,
    headers: {
      ...(retryAfter ? { 'Retry-After': String(retryAfter) } : {}),
      ...(type.status === 401 ? { 'WWW-Authenticate': challenge } : {}),
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
    },
    body: problemBody(requestId, answer),
  };
}
