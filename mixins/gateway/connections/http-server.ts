import { createServer, type RequestListener, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { StalledResponses } from './stalled-responses.ts';

export interface ServerLimits {
  /** Milliseconds until the headers of a request must have come: of the first from the start of the connection, of a later one from its first byte. */
  headersTimeoutMs: number;
  /** Milliseconds until a request with its body must have come. */
  requestTimeoutMs: number;
  /** Connections at once, of which one network may hold half; further ones are closed as they come. */
  maxConnections: number;
}

/** Milliseconds between two looks at requests that are late: well under the second that they may be gone late. */
const CHECK_MS = 500;
/** Milliseconds that a connection stays open without a request: longer than the 60 s for which load balancers keep theirs. */
const KEEP_ALIVE_MS = 65_000;
/** Milliseconds in which a client takes an answer from us; the connection of a slower one is cut. */
const RESPONSE_TIMEOUT_MS = 60_000;

/** An HTTP server that no client can occupy by sending or reading slowly, or by opening many connections. */
export function createHttpServer(
  limits: ServerLimits,
  proxies: TrustedProxies,
  logger: Logger,
  handler: RequestListener,
): Server {
  const server = createServer(
    {
      connectionsCheckingInterval: CHECK_MS,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false, // Node's own answer says nothing
    },
    handler,
  );
  new ConnectionLimit(limits.maxConnections, proxies, logger).apply(server);
  new StalledResponses(RESPONSE_TIMEOUT_MS).watch(server);
  return server;
}
