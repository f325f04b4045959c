import { OutboundError } from './errors.ts';
import type { OutboundRequest } from './request.ts';

export type Headers = Record<string, string>;

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,256}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers of one request. More headers are `INVALID_REQUEST`. */
const MOST_HEADERS = 100;
/** Bytes of the names and values of one request's headers. More bytes are `INVALID_REQUEST`. */
const MOST_BYTES = 32 * 1024;

/** Headers that belong to the connection and cannot be set, because another value could change the end of a request. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The only headers that are sent on to another origin. Every other header may be a credential. */
const OF_NO_ORIGIN = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'user-agent',
]);

const invalidRequest = (message: string) => new OutboundError('INVALID_REQUEST', message);

/** The headers of one hop by lower-case name. A later group replaces headers of an earlier one. */
export interface RequestHeaders {
  /** The headers that are sent unless the request has them. */
  usual: Headers;
  /** The headers that the user chose. */
  user: Headers;
  /** The caller's own headers, which are sent to every origin. */
  own: Headers;
  /** The headers that contain secrets, which are sent to the first origin only. */
  secret: Headers;
}

/** Checks a request's headers and returns them by lower-case name. A name may be in one group only. */
export function checkHeaders(request: OutboundRequest, userAgent: string): RequestHeaders {
  const checked: CheckedHeaders = { names: new Set(), bytes: 0 };
  const user = checkGroup(request.headers, 'it is given twice.', checked);
  const own = checkGroup(request.ownHeaders, 'it belongs to the sender.', checked);
  const secret = checkGroup(request.secretHeaders, 'it belongs to the credential.', checked);
  if (checked.names.size > MOST_HEADERS || checked.bytes > MOST_BYTES) {
    throw invalidRequest('The request has too many headers.');
  }
  const usual = { 'user-agent': userAgent, 'accept-encoding': 'gzip, deflate, br' };
  return { usual, user, own, secret };
}

/** The headers of a request that are checked so far. */
interface CheckedHeaders {
  names: Set<string>;
  bytes: number;
}

/** Checks a group of headers and returns it by lower-case name. `why` is the reason for a name that is taken. */
function checkGroup(
  headers: Readonly<Headers> = {},
  why: string,
  checked: CheckedHeaders,
): Headers {
  const group: Headers = Object.create(null); // a name may be __proto__
  for (const [name, given] of Object.entries(headers)) {
    assertHeader(name, given);
    const lower = name.toLowerCase();
    if (checked.names.has(lower)) throw invalidRequest(`The header ${lower} cannot be set: ${why}`);
    const value = given.trim();
    checked.names.add(lower);
    checked.bytes += lower.length + value.length + 4;
    group[lower] = value;
  }
  return group;
}

function assertHeader(name: string, value: unknown): void {
  if (!NAME.test(name)) {
    throw invalidRequest(`${JSON.stringify(name.slice(0, 100))} is not a possible header name.`);
  }
  if (OF_THE_CONNECTION.has(name.toLowerCase())) {
    throw invalidRequest(`The header ${name} cannot be set: it belongs to the connection.`);
  }
  if (typeof value !== 'string' || !VALUE.test(value)) {
    throw invalidRequest(`The header ${name} has a value that cannot be sent.`);
  }
}

/** Drops the headers that another origin must not get. */
export const dropCredentials = (headers: RequestHeaders): RequestHeaders => ({
  ...headers,
  user: pick(headers.user, (name) => OF_NO_ORIGIN.has(name)),
  secret: {},
});

/** Drops the user's headers that describe the body, for a redirection without the body. */
export const dropContentHeaders = (headers: RequestHeaders): RequestHeaders => ({
  ...headers,
  user: pick(headers.user, (name) => !name.startsWith('content-')),
});

const pick = (headers: Readonly<Headers>, keep: (name: string) => boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)));

/** Returns a response's headers. Headers of the same name are joined as RFC 9110 says. */
export const joinHeaders = (raw: Record<string, string | string[] | undefined>): Headers =>
  Object.fromEntries(
    Object.entries(raw).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
