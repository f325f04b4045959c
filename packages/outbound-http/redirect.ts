import type { Dispatcher } from 'undici';
import type { OutboundError } from './errors.ts';
import { type Headers, withoutContent, withoutCredentials } from './headers.ts';
import { parseTarget, refused } from './target.ts';

/** One request as it goes over the wire. */
export interface Hop {
  method: string;
  url: URL;
  headers: Headers;
  /** The sender's own, which go to every origin. */
  ownHeaders: Headers;
  body: string | Uint8Array | null;
}

const REDIRECTIONS = new Set([301, 302, 303, 307, 308]);

/**
 * Where an answer sends the request on to, or null when it is the last. Another origin gets no header
 * that may be a credential, and never the body: such a redirection is `TARGET_REFUSED`.
 */
export function nextHop(hop: Hop, answer: Dispatcher.ResponseData): Hop | null {
  const { statusCode: status, headers: sent } = answer;
  const location = Array.isArray(sent.location) ? sent.location[0] : sent.location;
  if (!REDIRECTIONS.has(status) || location === undefined) return null;
  const url = parseTarget(location, hop.url);
  const next = becomesGet(hop.method, status)
    ? { ...hop, method: 'GET', url, headers: withoutContent(hop.headers), body: null }
    : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== null) throw bodyRefused(hop.url, url);
  return { ...next, headers: withoutCredentials(next.headers) };
}

const bodyRefused = (from: URL, to: URL): OutboundError =>
  refused(
    `${from.host} redirected the request to ${to.origin}: its body is not sent on to another origin.`,
  );

/** As browsers do (fetch, HTTP-redirect fetch): 303 makes all but HEAD a GET, 301 and 302 a POST. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return method === 'POST' && (status === 301 || status === 302);
}
