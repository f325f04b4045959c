import { OutboundError } from './errors.ts';

export type Headers = Record<string, string>;

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,256}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MOST_HEADERS = 100;
const MOST_BYTES = 32 * 1024;

/** Set by the connection itself: with another value they would say where one request ends. */
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

/** What another origin may see of those. Whatever else was set may be a credential, whatever its name. */
const OF_NO_ORIGIN = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'user-agent',
]);

const invalid = (message: string) => new OutboundError('INVALID_REQUEST', message);

/**
 * A request's headers by lower-case name, those that were `given` apart from the sender's `own`, or an
 * error that names what is wrong with one.
 */
export function checkedHeaders(
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
    throw invalid('The request has too many headers.');
  }
  if (Object.keys(headers).length < entries.length) throw invalid('A header is given twice.');
  const taken = Object.keys(headers).find((name) => Object.hasOwn(ownHeaders, name));
  if (taken) throw invalid(`The header ${taken} cannot be set: it belongs to the sender.`);
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
    throw invalid(`${JSON.stringify(name.slice(0, 100))} is not a possible header name.`);
  }
  if (OF_THE_CONNECTION.has(name.toLowerCase())) {
    throw invalid(`The header ${name} cannot be set: it belongs to the connection.`);
  }
  if (typeof value !== 'string' || !VALUE.test(value)) {
    throw invalid(`The header ${name} has a value that cannot be sent.`);
  }
}

export const withoutCredentials = (headers: Readonly<Headers>): Headers =>
  pick(headers, (name) => OF_NO_ORIGIN.has(name));

/** For a redirection that drops the body. */
export const withoutContent = (headers: Readonly<Headers>): Headers =>
  pick(headers, (name) => !name.startsWith('content-'));

const pick = (headers: Readonly<Headers>, keep: (name: string) => boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)));

/** A response's headers, several of one name joined as RFC 9110 says. */
export const joinedHeaders = (raw: Record<string, string | string[] | undefined>): Headers =>
  Object.fromEntries(
    Object.entries(raw).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
