import type { Dispatcher } from 'undici';
import { type Headers, withoutContent, withoutCredentials } from './headers.ts';
import { parseTarget } from './target.ts';

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

/** Where an answer sends the request on to, or null when it is the last. */
export function nextHop(hop: Hop, answer: Dispatcher.ResponseData): Hop | null {
  const { statusCode: status, headers: sent } = answer;
  const location = Array.isArray(sent.location) ? sent.location[0] : sent.location;
  if (!REDIRECTIONS.has(status) || location === undefined) return null;
  const url = parseTarget(location, hop.url);
  const sameOrigin = url.origin === hop.url.origin;
  const headers = sameOrigin ? hop.headers : withoutCredentials(hop.headers);
  return becomesGet(hop.method, status)
    ? { ...hop, method: 'GET', url, headers: withoutContent(headers), body: null }
    : { ...hop, url, headers };
}

/** As browsers do (fetch, HTTP-redirect fetch): 303 makes all but HEAD a GET, 301 and 302 a POST. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return method === 'POST' && (status === 301 || status === 302);
}
