/** A token of HTTP (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Headers that belong to the connection, to the body, or to the sender of a call. A secret in one is never sent, or changes the meaning of the request. */
const RESERVED: ReadonlySet<string> = new Set([
  '__proto__', // an object has no such key of its own
  'connection',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'idempotency-key',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const RESERVED_PREFIXES = ['accept', 'content-', 'x-forwarded-'];

export const isHeaderName = (name: string): boolean => TOKEN.test(name);

/** Whether an API key may be sent in a header of the name. */
export function isFreeHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return !RESERVED.has(lower) && !RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}
