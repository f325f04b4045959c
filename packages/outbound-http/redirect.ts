import type { AnswerHead } from './answer.ts';
import type { OutboundError } from './errors.ts';
import { dropContentHeaders, dropCredentials, type RequestHeaders } from './headers.ts';
import type { RefuseRedirect } from './request.ts';
import { parseTarget, refusedTargetError } from './target.ts';

/** One request of a chain of redirections. */
export interface Hop {
  method: string;
  url: URL;
  headers: RequestHeaders;
  body: string | Uint8Array | null;
}

const REDIRECTIONS = new Set([301, 302, 303, 307, 308]);

/** Returns where a redirection leads to; null for an answer that is no redirection. */
export function locationOf({ status, headers }: AnswerHead): string | null {
  if (!REDIRECTIONS.has(status)) return null;
  const { location } = headers;
  return (Array.isArray(location) ? location[0] : location) ?? null;
}

/**
 * Returns the request that follows a redirection. Another origin gets no header that may be a credential. A redirection
 * of a body to another origin throws `TARGET_REFUSED`, as does one for which `refuseRedirect` returns a reason.
 */
export function nextHop(hop: Hop, answer: AnswerHead, refuseRedirect?: RefuseRedirect): Hop {
  const { status } = answer;
  const url = parseTarget(locationOf(answer) ?? '', hop.url);
  const refusal = refuseRedirect?.(url) ?? null;
  if (refusal !== null) throw refusedTargetError(refusal);
  const next = becomesGet(hop.method, status)
    ? { ...hop, method: 'GET', url, headers: dropContentHeaders(hop.headers), body: null }
    : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== null) throw refusedBodyError(hop.url, url);
  return { ...next, headers: dropCredentials(next.headers) };
}

const refusedBodyError = (from: URL, to: URL): OutboundError =>
  refusedTargetError(
    `${from.host} redirected the request to ${to.origin}: its body is not sent on to another origin.`,
  );

/** Decides as browsers do (fetch, HTTP-redirect fetch): 303 changes all methods but HEAD to GET; 301 and 302 only POST. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return method === 'POST' && (status === 301 || status === 302);
}
