import type { Agent, Dispatcher } from 'undici';
import type { AllowList } from './allow-list.ts';
import { readBody } from './body.ts';
import { OutboundError, outboundErrorOf } from './errors.ts';
import { checkHeaders, joinHeaders } from './headers.ts';
import { type Hop, nextHop } from './redirect.ts';
import type { OutboundRequest, OutboundResponse } from './request.ts';
import { assertLiteral, parseTarget } from './target.ts';

/** The default of `maxBytes`. */
const MAX_BYTES = 1024 * 1024;
/** The default of `maxRedirects`. */
const MAX_REDIRECTS = 3;
/** The pattern of a method. Any other method is `INVALID_REQUEST`. */
const METHOD = /^[A-Z]{1,20}$/;
/** Methods that are never sent: `CONNECT` makes a tunnel of the connection, `TRACE` echoes the request. */
const REFUSED_METHODS = new Set(['CONNECT', 'TRACE']);

/** Checks a request and returns its first hop. */
export function firstHop(request: OutboundRequest, userAgent: string): Hop {
  const { method, url, body = null } = request;
  if (!METHOD.test(method) || REFUSED_METHODS.has(method)) {
    throw new OutboundError('INVALID_REQUEST', 'The method is not one that can be sent.');
  }
  const target = parseTarget(url);
  return { method, url: target, headers: checkHeaders(request, userAgent), body };
}

/** Sends a request and follows its redirections. The address of every hop is checked. */
export async function sendHops(
  agent: Agent,
  allowed: AllowList,
  first: Hop,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { maxRedirects = MAX_REDIRECTS, refuseRedirect } = request;
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    assertLiteral(hop.url, allowed);
    const { host } = hop.url;
    try {
      const answer = await sendHop(agent, hop, signal);
      try {
        const next = maxRedirects === 0 ? null : nextHop(hop, answer, refuseRedirect);
        if (!next) return await responseOf(answer, hop.url, request);
        if (redirects === maxRedirects) throw tooManyRedirectsError(host, maxRedirects);
        hop = next;
      } finally {
        answer.body.destroy(); // closes a body that was not read to its end
      }
    } catch (error) {
      throw outboundErrorOf(error, host);
    }
  }
}

async function sendHop(
  agent: Agent,
  hop: Hop,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { method, url, headers, body } = hop;
  const answer = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers.usual, ...headers.user, ...headers.own, ...headers.secret },
    body,
    signal,
  });
  answer.body.on('error', () => undefined); // the reader of the body gets the error as well
  return answer;
}

const tooManyRedirectsError = (host: string, most: number): OutboundError =>
  new OutboundError('CONNECTION_FAILED', `${host} redirected more than ${most} times.`);

async function responseOf(
  answer: Dispatcher.ResponseData,
  url: URL,
  { maxBytes = MAX_BYTES, truncate = false }: OutboundRequest,
): Promise<OutboundResponse> {
  const headers = joinHeaders(answer.headers);
  const body = await readBody(answer.body, headers['content-encoding'], { maxBytes, truncate });
  if (body.decoded) {
    delete headers['content-encoding'];
    delete headers['content-length'];
  }
  return {
    status: answer.statusCode,
    headers,
    body: body.bytes,
    truncated: body.truncated,
    url: url.href,
  };
}
