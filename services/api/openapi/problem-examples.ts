import {
  BodyTooLarge,
  DeadlinePassed,
  Forbidden,
  IdempotencyKeyReused,
  InternalError,
  InvalidRequest,
  NotFound,
  PreconditionFailed,
  RangeNotSatisfiable,
  RateLimited,
  RequestTimeout,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType,
} from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import type { ProblemAnswer } from '../../../mixins/gateway/problem-response.ts';
import { TargetUnreachable } from '../../connections/test-call/test-call.problems.ts';
import { NotAcceptable } from '../api.problems.ts';

/** The problem that the document shows of each status, as a client would get it. */
export const PROBLEM_EXAMPLES: readonly ProblemAnswer[] = [
  {
    type: InvalidRequest,
    detail: 'name: must have at least 1 character',
    errors: [
      { in: 'query', path: 'name', code: 'too_small', message: 'must have at least 1 character' },
    ],
  },
  {
    type: Unauthenticated,
    detail: 'A valid token is needed: Authorization: Bearer <token>.',
  },
  { type: Forbidden, detail: 'Only a person may do this.' },
  { type: NotFound, detail: 'There is no workspace 17.' },
  { type: NotAcceptable, detail: 'The answer is application/json or text/event-stream.' },
  { type: RequestTimeout, detail: 'The file came too slowly.' },
  {
    type: QuotaReached,
    detail: 'A person may make 100 workspaces.',
    members: { quota: 'WORKSPACES_PER_PERSON', limit: 100 },
  },
  { type: PreconditionFailed, detail: 'The resource has another ETag: read it again.' },
  { type: BodyTooLarge, detail: 'The body may have at most 262144 bytes.' },
  { type: UnsupportedMediaType, detail: 'The body must be application/json in UTF-8.' },
  { type: RangeNotSatisfiable, detail: 'The file has 1204 bytes.' },
  { type: IdempotencyKeyReused, detail: 'This Idempotency-Key was sent with another request.' },
  {
    type: RateLimited,
    detail: 'Too many requests: 600 in 60 seconds are possible.',
    retryAfter: 1,
  },
  { type: InternalError, detail: 'Something went wrong on our side.' },
  { type: TargetUnreachable, detail: 'The called system cannot be reached.' },
  {
    type: Unavailable,
    detail: 'A part of the service cannot be reached at the moment.',
    retryAfter: 1,
  },
  { type: DeadlinePassed, detail: 'The operation took too long and was given up.' },
];
