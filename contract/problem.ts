import { Errors } from 'moleculer';

/** A kind of failure: its stable code, its HTTP status and its title (RFC 9457). */
export interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/** A fault of one value of the request. Faults of flow files have `line` and `column`, from 1. */
export interface FieldFault {
  in: 'query' | 'body' | 'path' | 'header';
  path: string;
  code: string;
  message: string;
  line?: number;
  column?: number;
}

export const problemType = (code: string, status: number, title: string): ProblemType => ({
  code,
  status,
  title,
});

interface ProblemData {
  errors?: readonly FieldFault[];
  /** Seconds after which the caller may try again. */
  retryAfter?: number;
  /** Extension members of the problem document (RFC 9457, 3.2). */
  members?: Readonly<Record<string, unknown>>;
  /** The owner of a refused secret, such as `user:7`. Only the access log contains the owner. */
  principal?: string;
}

/**
 * An expected failure. The gateway answers a problem only when the contract of the action lists its type. Between
 * nodes the status travels as `code`, and the code of the problem as `type`.
 */
export class Problem extends Errors.MoleculerError {
  declare data: ProblemData;

  constructor(type: ProblemType, detail: string, data: ProblemData = {}) {
    super(detail, type.status, type.code, data);
    this.name = 'Problem';
  }
}

/** Whether the error is a problem of one of these types. */
export const isProblem = (error: unknown, ...types: readonly ProblemType[]): error is Problem =>
  error instanceof Problem && types.some(({ code }) => code === error.type);

export const InvalidRequest = problemType('INVALID_REQUEST', 400, 'The request is not valid');
export const BadRequest = problemType('BAD_REQUEST', 400, 'The request is not valid HTTP');
export const RequestTimeout = problemType(
  'REQUEST_TIMEOUT',
  408,
  'The request did not come in time',
);
export const ExpectationFailed = problemType(
  'EXPECTATION_FAILED',
  417,
  'The expectation cannot be met',
);
export const HeadersTooLarge = problemType('HEADERS_TOO_LARGE', 431, 'The headers are too large');
export const MalformedBody = problemType('MALFORMED_BODY', 400, 'The body is malformed');
export const Unauthenticated = problemType('UNAUTHENTICATED', 401, 'A valid token is needed');
export const Forbidden = problemType('FORBIDDEN', 403, 'Not allowed');
export const NotFound = problemType('NOT_FOUND', 404, 'Not found');
export const MethodNotAllowed = problemType('METHOD_NOT_ALLOWED', 405, 'Method not allowed');
export const PreconditionFailed = problemType(
  'PRECONDITION_FAILED',
  412,
  'The resource has changed meanwhile',
);
export const IdempotencyKeyInFlight = problemType(
  'IDEMPOTENCY_KEY_IN_FLIGHT',
  409,
  'A request with this key is under way',
);
export const IdempotencyKeyReused = problemType(
  'IDEMPOTENCY_KEY_REUSED',
  422,
  'The key was sent with another request',
);
export const BodyTooLarge = problemType('BODY_TOO_LARGE', 413, 'The body is too large');
export const UnsupportedMediaType = problemType(
  'UNSUPPORTED_MEDIA_TYPE',
  415,
  'The media type is not supported',
);
export const RangeNotSatisfiable = problemType(
  'RANGE_NOT_SATISFIABLE',
  416,
  'The file has no such range',
);
export const RateLimited = problemType('RATE_LIMITED', 429, 'Too many requests');
export const InternalError = problemType('INTERNAL_ERROR', 500, 'Internal error');
export const Unavailable = problemType('UNAVAILABLE', 503, 'Temporarily unavailable');
export const StorageFull = problemType(
  'STORAGE_FULL',
  503,
  'There is no room to store anything at the moment',
);
export const Busy = problemType('BUSY', 503, 'Too many changes at once');
export const DeadlinePassed = problemType('DEADLINE_PASSED', 504, 'The deadline has passed');

/** The same for a workspace that is not there and one that the caller may not know of. */
export const noWorkspace = (id: number): Problem =>
  new Problem(NotFound, `There is no workspace ${id}.`);

export const noUser = (id: number): Problem => new Problem(NotFound, `There is no user ${id}.`);

export const noWorkflow = (id: number): Problem =>
  new Problem(NotFound, `There is no workflow ${id}.`);
export const noFlow = (id: number) => new Problem(NotFound, `There is no flow ${id}.`);

/** What an anonymous caller hears wherever a token is needed. */
export const tokenNeeded = (): Problem =>
  new Problem(Unauthenticated, 'A valid token is needed: Authorization: Bearer <token>.');

/** Faults that are told of one request, and characters of a path: the rest would say no more. */
export const MOST_FAULTS = 100;
export const LONGEST_PATH = 100;

const shortened = (fault: FieldFault): FieldFault =>
  fault.path.length > LONGEST_PATH
    ? { ...fault, path: fault.path.slice(0, LONGEST_PATH).toWellFormed() }
    : fault;

/** A 400 that names what is wrong, field by field. */
export function invalidRequest(faults: readonly FieldFault[]): Problem {
  const errors = faults.slice(0, MOST_FAULTS).map(shortened);
  return new Problem(InvalidRequest, summary(errors, faults.length), { errors });
}

function summary([first]: readonly FieldFault[], count: number): string {
  if (!first) return 'The request is not valid.';
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return `${first.path || first.in}: ${first.message}${more}`;
}

/** A fault in one body field, found by a service after validation. */
export const invalidField = (path: string, code: string, message: string): Problem =>
  invalidRequest([{ in: 'body', path, code, message }]);
