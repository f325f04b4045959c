import type { Agent, Dispatcher } from 'undici';
import type { AllowList } from './allow-list.ts';
import type { AnswerHead } from './answer.ts';
import type { ReadBody } from './body.ts';
import type { Deadline } from './deadline.ts';
import { OutboundError, outboundErrorOf } from './errors.ts';
import { checkHeaders, joinHeaders } from './headers.ts';
import type { OpenConnections } from './open-connections.ts';
import { type Hop, locationOf, nextHop } from './redirect.ts';
import type { OutboundRequest, OutboundResponse } from './request.ts';
import { ResponseHandler } from './response-handler.ts';
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

/** The parts of a client that send a request. */
interface Sender {
  agent: Agent;
  allowed: AllowList;
  connections: OpenConnections;
}

/** Sends a request and follows its redirections. The address of every hop is checked. */
export async function sendHops(
  { agent, allowed, connections }: Sender,
  first: Hop,
  request: OutboundRequest,
  deadline: Deadline,
): Promise<OutboundResponse> {
  const { maxRedirects = MAX_REDIRECTS, refuseRedirect } = request;
  const { maxBytes = MAX_BYTES, truncate = false } = request;
  const wantsBody = (head: AnswerHead) => maxRedirects === 0 || locationOf(head) === null;
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    assertLiteral(hop.url, allowed);
    const { host } = hop.url;
    const keepsConnection = connections.mayKeep;
    const handler = new ResponseHandler({ wantsBody, maxBytes, truncate, keepsConnection });
    deadline.onEnd(handler.abort);
    try {
      dispatch(agent, hop, handler, keepsConnection);
      const answer = await handler.answer;
      if (answer.body) return responseOf(answer, answer.body, hop.url);
      const next = nextHop(hop, answer, refuseRedirect);
      if (redirects === maxRedirects) throw tooManyRedirectsError(host, maxRedirects);
      hop = next;
    } catch (error) {
      throw outboundErrorOf(error, host);
    }
  }
}

function dispatch(
  agent: Agent,
  { method, url, headers, body }: Hop,
  handler: ResponseHandler,
  keepsConnection: boolean,
): void {
  agent.dispatch(
    {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: method as Dispatcher.HttpMethod,
      headers: { ...headers.usual, ...headers.user, ...headers.own, ...headers.secret },
      body,
      ...(keepsConnection ? {} : { reset: true }),
    },
    handler,
  );
}

const tooManyRedirectsError = (host: string, most: number): OutboundError =>
  new OutboundError('CONNECTION_FAILED', `${host} redirected more than ${most} times.`);

function responseOf(answer: AnswerHead, body: ReadBody, url: URL): OutboundResponse {
  const headers = joinHeaders(answer.headers);
  if (body.decoded) {
    delete headers['content-encoding'];
    delete headers['content-length'];
  }
  const { bytes, truncated } = body;
  return { status: answer.status, headers, body: bytes, truncated, url: url.href };
}
