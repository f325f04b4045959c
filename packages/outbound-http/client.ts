import { Agent, type Dispatcher, Pool } from 'undici';
import { AllowList } from './allow-list.ts';
import { readBody } from './body.ts';
import { within } from './deadline.ts';
import { OutboundError, outboundErrorOf } from './errors.ts';
import { checkedHeaders, type Headers, joinedHeaders } from './headers.ts';
import { ignoringContinue } from './interim.ts';
import { checkedLookup, type Resolve, systemResolve } from './lookup.ts';
import { type Hop, nextHop } from './redirect.ts';
import { assertLiteral, parseTarget } from './target.ts';

export interface OutboundOptions {
  /** Targets that are not public and yet may be called: CIDR ranges or exact `host:port`. */
  allow: readonly string[];
  userAgent?: string;
  /** How names become addresses; the system's resolver unless given. */
  resolve?: Resolve;
}

export interface OutboundRequest {
  method: string;
  url: string;
  /** Those that were given to whoever sends this: another origin gets none that may be a credential. */
  headers?: Readonly<Headers>;
  /**
   * Those of the sender itself, which `headers` can't replace: what makes a repeat known, what it is a
   * part of. They go wherever the request is redirected to, so that there must be no secret in them.
   */
  ownHeaders?: Readonly<Headers>;
  /** Text is sent as UTF-8. */
  body?: string | Uint8Array | null;
  /** Milliseconds for all of it: names, connections, redirections, the body. */
  timeoutMs: number;
  /** Bytes of the body, unpacked; 1 MiB unless given. */
  maxBytes?: number;
  /** Cuts a longer body off and says so; otherwise it is the error TOO_LARGE. */
  truncate?: boolean;
  /** Closes the connection at once. */
  signal?: AbortSignal;
  /** 3 unless given; with 0 a redirection is an answer like any other. */
  maxRedirects?: number;
}

export interface OutboundResponse {
  status: number;
  /** By lower-case name; without those that described an encoding which is undone. */
  headers: Headers;
  body: Uint8Array;
  truncated: boolean;
  /** Where the answer came from in the end. */
  url: string;
}

export interface OutboundClient {
  /** Every failure is an `OutboundError`; a status that isn't 2xx is none. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes all connections, those in use included. */
  close(): Promise<void>;
}

const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
const METHOD = /^[A-Z]{1,20}$/;
/** They would turn the connection into something else or show what was sent. */
const REFUSED_METHODS = new Set(['CONNECT', 'TRACE']);

/** The client for addresses that users chose. Proxies of the environment are not used. */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { userAgent = 'workspace-automation', resolve = systemResolve } = options;
  const allowed = new AllowList(options.allow);
  const agent = new Agent({
    allowH2: false, // giving a request up must close its connection
    headersTimeout: 0, // the request's own deadline counts
    bodyTimeout: 0,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 32 * 1024,
    factory: (origin, pool) =>
      new Pool(origin, {
        ...(pool as Pool.Options),
        connect: ignoringContinue({
          lookup: checkedLookup(new URL(origin), allowed, resolve),
          timeout: 10_000,
          allowH2: false,
        }),
      }),
  });
  return {
    async send(request) {
      const first = firstHop(request, userAgent);
      return within(request.timeoutMs, request.signal, (signal) =>
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
  return { method, url: target, ...checkedHeaders(headers, ownHeaders, userAgent), body };
}

/** Sends a request and what its answers redirect it to, every hop checked anew. */
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
        if (redirects === maxRedirects) throw tooManyRedirects(host, maxRedirects);
        hop = next;
      } finally {
        answer.body.destroy(); // what was not read to its end is not read at all
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
  answer.body.on('error', () => undefined); // whoever reads it hears of it
  return answer;
}

const tooManyRedirects = (host: string, most: number): OutboundError =>
  new OutboundError('CONNECTION_FAILED', `${host} redirected more than ${most} times.`);

async function responseOf(
  answer: Dispatcher.ResponseData,
  url: URL,
  { maxBytes = MAX_BYTES, truncate = false }: OutboundRequest,
): Promise<OutboundResponse> {
  const headers = joinedHeaders(answer.headers);
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
