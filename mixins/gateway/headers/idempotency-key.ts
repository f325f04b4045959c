import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import type { FieldFault } from '../../../contract/problem.ts';
import type { IdentifiedRequest } from '../gateway-request.ts';

/** 1 to 255 visible ASCII characters. Any other key is answered 400. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, valid or not; undefined without one, and for an operation that ignores keys. */
export const idempotencyKeyOf = ({
  route,
  http,
}: Pick<IdentifiedRequest, 'route' | 'http'>): string | undefined =>
  takesIdempotencyKey(route.contract) ? (http.headers['idempotency-key'] as string) : undefined;

export const isIdempotencyKey = (key: string): boolean => KEY.test(key);

export const MALFORMED_IDEMPOTENCY_KEY: FieldFault = {
  in: 'header',
  path: 'Idempotency-Key',
  code: 'invalid_format',
  message: 'must have 1 to 255 visible ASCII characters',
};
