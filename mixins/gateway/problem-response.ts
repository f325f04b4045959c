import type { IncomingMessage, ServerResponse } from 'node:http';
import { Errors } from 'moleculer';
import {
  DeadlinePassed,
  type FieldFault,
  InternalError,
  type Problem,
  type ProblemType,
  Unavailable,
} from '../../contract/problem.ts';

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

/** A body that nobody reads to its end must not be sent to us for ever: its connection ends. */
export function closeWhenUnread(req: IncomingMessage, res: ServerResponse): void {
  if (!req.complete) res.setHeader('Connection', 'close');
}

/** Answers with `application/problem+json`. */
export function sendProblem(
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  answer: ProblemAnswer,
): void {
  const { type, retryAfter } = answer;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const body = problemBody(requestId, answer);
  closeWhenUnread(req, res);
  if (retryAfter) res.setHeader('Retry-After', String(retryAfter));
  if (type.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.writeHead(type.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
