import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import type { FieldFault } from '../../contract/problem.ts';
import type { TrustedProxies } from '../../environment/values/trusted-proxies.ts';
import type { Span } from '../../support/tracing/spans.ts';
import { clientOf } from './headers/client.ts';
import { requestIdOf } from './headers/request-id.ts';
import { beginTrace } from './headers/trace.ts';
import type { Query } from './routing/query.ts';
import type { Route } from './routing/router.ts';

/** A request on its way through the gateway: HTTP's own objects, and what the steps have found out. */
export interface GatewayRequest {
  readonly http: IncomingMessage;
  /** Steps set headers here that every answer carries, a problem as well. */
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly client: Client;
  /** The trace that the request is part of, and its own place in it. */
  readonly traceparent: string;
  /** The span of the request, where spans are recorded. */
  readonly span: Span | null;
  /** The route as the contract writes it; never the path of a request, whose segments may be secret. */
  routePath?: string | undefined;
  route?: Route;
  caller?: Caller;
  /** Whom a refused request was about, where the service knows; not proven. */
  principal?: string | undefined;
}

/** A request whose operation is known. */
export interface RoutedRequest extends GatewayRequest {
  route: Route;
  /** The path's segments in order, as they were sent: still percent-encoded. */
  segments: readonly string[];
  query: Query;
}

/** A request whose caller is known. */
export interface IdentifiedRequest extends RoutedRequest {
  caller: Caller;
}

/** A request that was read to its end. */
export interface ReadRequest extends IdentifiedRequest {
  params: Record<string, unknown>;
  /** Reported only once the caller's right is known: nobody learns from a 400 what a 404 hides. */
  faults: readonly FieldFault[];
  /** The bytes of the body; null where the operation has none or the request came without. */
  body: Buffer | null;
  /** The id that an idempotency key has reserved for what the operation creates. */
  reservedId?: number;
}

/** The request that a pair of HTTP's objects stands for; its trace begins here. */
export function gatewayRequestOf(
  http: IncomingMessage,
  response: ServerResponse,
  proxies: TrustedProxies,
): GatewayRequest {
  return {
    http,
    response,
    requestId: requestIdOf(http),
    client: clientOf(http, proxies),
    ...beginTrace(http),
  };
}
