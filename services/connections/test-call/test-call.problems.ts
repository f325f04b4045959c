import {
  type FieldFault,
  invalidRequest,
  NotFound,
  Problem,
  problemType,
} from '../../../contract/problem.ts';
import type { CallRefusal } from '../contract/internal.ts';

export const TargetUnreachable = problemType(
  'TARGET_UNREACHABLE',
  502,
  'The called system cannot be reached',
);
export const TargetTimeout = problemType(
  'TARGET_TIMEOUT',
  504,
  'The called system did not answer in time',
);
export const TokenRefused = problemType(
  'TOKEN_REFUSED',
  502,
  'The token endpoint refuses the credential',
);
export const TokenUnavailable = problemType(
  'TOKEN_UNAVAILABLE',
  502,
  'The token endpoint gives no token',
);
export const TooManyTests = problemType('TOO_MANY_TESTS', 429, 'Too many tests wait');

export const tooManyTests = (): Problem =>
  new Problem(TooManyTests, 'Wait for the tests sent before to end.', { retryAfter: 2 });

/** The value of the request that names the target of a test. */
export type TargetField = Pick<FieldFault, 'in' | 'path'>;

/** The 400 of a test whose target may not be called. */
export const targetRefused = (field: TargetField, code: string, message: string): Problem =>
  invalidRequest([{ ...field, code, message }]);

/** The problem of a test whose request could not be prepared. */
export function refusalProblem({ code, detail, field }: CallRefusal, target: TargetField): Problem {
  switch (code) {
    case 'REFERENCE_NOT_FOUND':
      return new Problem(NotFound, detail);
    case 'CREDENTIAL_ORIGIN_REFUSED':
      return targetRefused(target, 'origin_not_allowed', detail);
    case 'PLACEHOLDERS_INVALID': {
      const named: TargetField = field ? { in: 'body', path: field } : target;
      return targetRefused(named, 'invalid_placeholder', detail);
    }
    case 'TOKEN_REFUSED':
      return new Problem(TokenRefused, detail);
    case 'TOKEN_UNAVAILABLE':
      return new Problem(TokenUnavailable, detail);
  }
}
