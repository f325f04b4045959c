/** What stands in place of a header's value. */
export const MASK = '***';

/**
 * Headers of an answer that carry a session, a token or how to get one. An output is stored and shown to
 * every member of the workspace, so that their values are no part of it.
 */
const MASKED: ReadonlySet<string> = new Set([
  'api-key',
  'apikey',
  'authentication-info',
  'authorization',
  'cookie',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
  'x-access-token',
  'x-amz-security-token',
  'x-amzn-remapped-authorization',
  'x-amzn-remapped-www-authenticate',
  'x-api-key',
  'x-api-token',
  'x-auth-token',
  'x-authorization',
  'x-csrf-token',
  'x-id-token',
  'x-refresh-token',
  'x-session-id',
  'x-session-token',
  'x-set-cookie',
  'x-subject-token',
  'x-vault-token',
  'x-xsrf-token',
]);

/** Headers by lower-case name, the secret ones masked. */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, MASKED.has(name) ? MASK : value]),
  );
