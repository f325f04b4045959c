import { OutboundError } from './errors.ts';

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

/** Checks the user's headers (`given`) and the caller's headers (`own`) and returns both by lower-case name. */
export function checkHeaders(
  given: Readonly<Headers>,
  own: Readonly<Headers>,
  userAgent: string,
): { headers: Headers; ownHeaders: Headers } {
  const entries = entriesOf(given);
  const ownHeaders = Object.fromEntries(entriesOf(own));
  const headers = Object.fromEntries(entries);
  const all = [...entries, ...Object.entries(ownHeaders)];
  const bytes = all.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (all.length > MOST_HEADERS || bytes > MOST_BYTES) {
    throw invalidRequest('The request has too many headers.');
  }
  if (Object.keys(headers).length < entries.length)
    throw invalidRequest('A header is given twice.');
  const taken = Object.keys(headers).find((name) => Object.hasOwn(ownHeaders, name));
  if (taken) throw invalidRequest(`The header ${taken} cannot be set: it belongs to the sender.`);
  const usual = { 'user-agent': userAgent, 'accept-encoding': 'gzip, deflate, br' };
  return { headers: { ...usual, ...headers }, ownHeaders };
}

const entriesOf = (headers: Readonly<Headers>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => {
    assertHeader(name, value);
    return [name.toLowerCase(), value.trim()];
  });

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

export const dropCredentials = (headers: Readonly<Headers>): Headers =>
  pick(headers, (name) => OF_NO_ORIGIN.has(name));

/** Drops the headers that describe the body, for a redirection without the body. */
export const dropContentHeaders = (headers: Readonly<Headers>): Headers =>
  pick(headers, (name) => !name.startsWith('content-'));

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
