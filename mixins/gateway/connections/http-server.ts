import { createServer, type RequestListener, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { StalledResponses } from './stalled-responses.ts';

export interface ServerLimits {
  /** Milliseconds for the headers of a request. They count from the start of the connection, or from the first byte of a later request. */
  headersTimeoutMs: number;
  /** Milliseconds from the headers of a request until its body has arrived (`body-deadlines.ts`). */
  requestTimeoutMs: number;
  /** Connections at once, of which one network may hold half. Further connections are closed at once. */
  maxConnections: number;
}

/** Milliseconds between two checks for late requests. A late request is answered within a second of its timeout. */
const CHECK_MS = 500;
/** Milliseconds for which a connection stays open without a request: longer than the 60 s of common load balancers. */
const KEEP_ALIVE_MS = 65_000;
/** Milliseconds for which a response may wait for its client to read. Beyond them the connection is cut. */
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
      requestTimeout: 0, // the body has a deadline of its own
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false, // Node's own 400 is no problem document
    },
    handler,
  );
  new ConnectionLimit(limits.maxConnections, proxies, logger).apply(server);
  new StalledResponses(RESPONSE_TIMEOUT_MS).watch(server);
  return server;
}
