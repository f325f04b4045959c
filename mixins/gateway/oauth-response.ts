import type { ProblemAnswer } from './problem-response.ts';
import type { Reply } from './reply.ts';

/** The codes of RFC 6749, section 5.2, that problems with the same code in upper case have. */
const CODES: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
]);

/** The statuses of failures of a request that RFC 6749 has a code for. */
export const OAUTH_STATUSES: ReadonlySet<number> = new Set([400, 401, 413, 415]);

/**
 * The reply of RFC 6749, section 5.2. Null for a failure without a code there, such as a rate limit or an outage, which
 * is a problem document like those of other operations.
 */
export function oauthReply({ type, detail }: ProblemAnswer): Reply | null {
  if (!OAUTH_STATUSES.has(type.status)) return null;
  const code = type.code.toLowerCase();
  const error = CODES.has(code) ? code : 'invalid_request';
  return {
    status: type.status,
    headers: {
      ...(type.status === 401
        ? { 'WWW-Authenticate': 'Basic realm="token", charset="UTF-8"' }
        : {}),
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      Pragma: 'no-cache',
    },
    body: JSON.stringify({ error, error_description: describe(detail) }),
  };
}

/** The text in the characters that a description may have. */
const describe = (detail: string): string =>
  detail.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
