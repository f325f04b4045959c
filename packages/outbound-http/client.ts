import { Agent, type Dispatcher, Pool } from 'undici';
import { AllowList } from './allow-list.ts';
import { readBody } from './body.ts';
import { runWithDeadline } from './deadline.ts';
import { OutboundError, outboundErrorOf } from './errors.ts';
import { checkHeaders, type Headers, joinHeaders } from './headers.ts';
import { createConnector } from './interim-answers.ts';
import { createCheckedLookup, type Resolve, systemResolve } from './lookup.ts';
import { type Hop, nextHop } from './redirect.ts';
import { assertLiteral, parseTarget } from './target.ts';

export interface OutboundOptions {
  /** Targets that may be called although they are not public: CIDR ranges or exact `host:port`. */
  allow: readonly string[];
  userAgent?: string;
  /** Resolves names to addresses. The default is the system's resolver. */
  resolve?: Resolve;
}

export interface OutboundRequest {
  method: string;
  url: string;
  /** The headers that the user chose. After a redirection to another origin, headers that may be credentials are dropped. */
  headers?: Readonly<Headers>;
  /**
   * The caller's own headers, such as an idempotency key or a trace, which `headers` cannot replace. They are sent to
   * every origin of a redirection, so they must not contain secrets.
   */
  ownHeaders?: Readonly<Headers>;
  /** The body. A string is sent as UTF-8. */
  body?: string | Uint8Array | null;
  /** Milliseconds for the whole request with name resolution, connections, redirections and body. Beyond it, `TIMEOUT`. */
  timeoutMs: number;
  /** Bytes of the decoded body, 1 MiB by default. Beyond it the body is cut or `TOO_LARGE`, see `truncate`. */
  maxBytes?: number;
  /** Whether a longer body is cut and answered with `truncated`, instead of the error `TOO_LARGE`. */
  truncate?: boolean;
  /** Aborts the request and closes its connection at once. */
  signal?: AbortSignal;
  /** Redirections that are followed, 3 by default. Beyond it, `CONNECTION_FAILED`; with 0 a redirection is a normal answer. */
  maxRedirects?: number;
}

export interface OutboundResponse {
  status: number;
  /** The headers by lower-case name. A decoded body has no `content-encoding` and `content-length`. */
  headers: Headers;
  body: Uint8Array;
  truncated: boolean;
  /** The URL that answered, after redirections. */
  url: string;
}

export interface OutboundClient {
  /** Sends a request. Every failure is an `OutboundError`; a status that is not 2xx is an answer. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes all connections, those in use included. */
  close(): Promise<void>;
}

/** The default of `maxBytes`. */
const MAX_BYTES = 1024 * 1024;
/** The default of `maxRedirects`. */
const MAX_REDIRECTS = 3;
/** The pattern of a method. Any other method is `INVALID_REQUEST`. */
const METHOD = /^[A-Z]{1,20}$/;
/** Methods that are never sent: `CONNECT` makes a tunnel of the connection, `TRACE` echoes the request. */
const REFUSED_METHODS = new Set(['CONNECT', 'TRACE']);

/** The client for addresses that users chose. Proxies of the environment are not used. */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { userAgent = 'workspace-automation', resolve = systemResolve } = options;
  const allowed = new AllowList(options.allow);
  const agent = new Agent({
    allowH2: false, // an aborted request must close its connection
    headersTimeout: 0, // the request's own deadline counts
    bodyTimeout: 0,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 32 * 1024,
    factory: (origin, pool) =>
      new Pool(origin, {
        ...(pool as Pool.Options),
        connect: createConnector({
          lookup: createCheckedLookup(new URL(origin), allowed, resolve),
          timeout: 10_000,
          allowH2: false,
        }),
      }),
  });
  return {
    async send(request) {
      const first = firstHop(request, userAgent);
      return runWithDeadline(request.timeoutMs, request.signal, (signal) =>
        follow(agent, allowed, first, request, signal),
      );
    },
    close: () => agent.destroy(),
  };
}

function firstHop(
  { method, url, headers = {}, ownHeaders = {}, body = null }: OutboundRequest,
  userAgent: string,
): Hop {
  if (!METHOD.test(method) || REFUSED_METHODS.has(method)) {
    throw new OutboundError('INVALID_REQUEST', 'The method is not one that can be sent.');
  }
  const target = parseTarget(url);
  return { method, url: target, ...checkHeaders(headers, ownHeaders, userAgent), body };
}

/** Sends a request and follows its redirections. The address of every hop is checked. */
async function follow(
  agent: Agent,
  allowed: AllowList,
  first: Hop,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { maxRedirects = MAX_REDIRECTS } = request;
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    assertLiteral(hop.url, allowed);
    const { host } = hop.url;
    try {
      const answer = await sendHop(agent, hop, signal);
      try {
        const next = maxRedirects === 0 ? null : nextHop(hop, answer);
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
  const { method, url, headers, ownHeaders, body } = hop;
  const answer = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers, ...ownHeaders },
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
