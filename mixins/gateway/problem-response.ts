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

/** Moleculer's own failures on the way to an action: nobody there, too long, gone. */
const OF_MOLECULER: Record<string, ProblemType> = {
  SERVICE_NOT_FOUND: Unavailable,
  SERVICE_NOT_AVAILABLE: Unavailable,
  REQUEST_REJECTED: Unavailable,
  REQUEST_TIMEOUT: DeadlinePassed,
  REQUEST_SKIPPED: DeadlinePassed,
};
const DETAIL: Record<string, string> = {
  [Unavailable.code]: 'A part of the service cannot be reached at the moment.',
  [DeadlinePassed.code]: 'The operation took too long and was given up.',
  [InternalError.code]: 'Something went wrong on our side.',
};

/**
 * What the client learns of a failure: a problem that the operation names, with its detail; anything
 * else as a 5xx that says nothing of the inside.
 */
export function problemAnswer(
  error: unknown,
  named: ReadonlyMap<string, ProblemType>,
): ProblemAnswer {
  if (!(error instanceof Errors.MoleculerError)) return hidden(InternalError);
  const data = error.data as Partial<Problem['data']> | undefined;
  const type = named.get(error.type);
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
  return hidden(OF_MOLECULER[error.type] ?? gone);
}

/** Whom a refusal is about, where the service has said so: for the log, never for the client. */
export function principalOf(error: unknown): string | undefined {
  if (!(error instanceof Errors.MoleculerError)) return undefined;
  const { principal } = (error.data ?? {}) as Partial<Problem['data']>;
  return typeof principal === 'string' && PRINCIPAL.test(principal) ? principal : undefined;
}

/** Such as `user:7`. */
const PRINCIPAL = /^[\w:.-]{1,64}$/;

function hidden(type: ProblemType): ProblemAnswer {
  return {
    type,
    detail: DETAIL[type.code] ?? type.title,
    ...(type === Unavailable ? { retryAfter: 1 } : {}),
  };
}

/** The document of a failure (RFC 9457). */
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

/** The reply with `application/problem+json`. */
export function problemReply(requestId: string, answer: ProblemAnswer): Reply {
  const { type, retryAfter } = answer;
  return {
    status: type.status,
    headers: {
      ...(retryAfter ? { 'Retry-After': String(retryAfter) } : {}),
      ...(type.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
    },
    body: problemBody(requestId, answer),
  };
}
