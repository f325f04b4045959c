import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import type { FieldFault } from '../../contract/problem.ts';
import type { TrustedProxies } from '../../environment/values/trusted-proxies.ts';
import type { Span } from '../../support/tracing/spans.ts';
import type { BodyDeadlines } from './connections/body-deadlines.ts';
import { clientOf } from './headers/client.ts';
import { requestIdOf } from './headers/request-id.ts';
import { beginTrace } from './headers/trace.ts';
import type { Query } from './routing/query.ts';
import type { Route } from './routing/router.ts';

/** A request in the gateway: Node's objects, and the findings of the steps so far. */
export interface GatewayRequest {
  readonly http: IncomingMessage;
  /** Steps set the headers here that every response carries, a problem as well. */
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Aborted when the gateway begins to stop. */
  readonly stopping: AbortSignal;
  /** The deadlines of the bodies under way, this one among them. */
  readonly bodyDeadlines: BodyDeadlines;
  readonly client: Client;
  /** The name of the gateway's service, for spans. */
  readonly service: string;
  /** The id of the request's trace, and of the request's own span. */
  readonly traceparent: string;
  /** The span of the request; null where spans are not recorded. */
  readonly span: Span | null;
  /** The path as the contract writes it, for logs and metrics. The segments of a request's path may be secret. */
  routePath?: string | undefined;
  route?: Route;
  caller?: Caller;
  /** The fields of the body that came from the query, because the body is the text of another field (`textBody`). */
  queryFields?: ReadonlySet<string>;
  /** The account that a refused request named, such as `user:7`; not proven. */
  principal?: string | undefined;
}

/** A request whose operation is known. */
export interface RoutedRequest extends GatewayRequest {
  route: Route;
  /** The segments of the path in order, still percent-encoded. */
  segments: readonly string[];
  query: Query;
}

/** A request whose caller is known. */
export interface IdentifiedRequest extends RoutedRequest {
  caller: Caller;
}

/** A request whose parameters and body are read. */
export interface ReadRequest extends IdentifiedRequest {
  params: Record<string, unknown>;
  /** The faults of the parameters. They are reported after the access check: a 400 must not tell what a 404 hides. */
  faults: readonly FieldFault[];
  /** The bytes of the body; null for an operation or a request without a body. */
  body: Buffer | null;
  /** The id that an `Idempotency-Key` has reserved for the created resource. */
  reservedId?: number;
}

/** Makes the gateway's request of Node's objects, and begins its trace. */
export function gatewayRequestOf(
  http: IncomingMessage,
  response: ServerResponse,
  proxies: TrustedProxies,
  stopping: AbortSignal,
  bodyDeadlines: BodyDeadlines,
  service: string,
): GatewayRequest {
  const client = clientOf(http, proxies);
  return {
    http,
    response,
    requestId: requestIdOf(http),
    stopping,
    bodyDeadlines,
    client,
    service,
    ...beginTrace(http, client.address, service),
  };
}
