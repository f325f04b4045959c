import { Readable } from 'node:stream';
import type { ServiceBroker } from 'moleculer';
import type { Logger } from 'pino';
import type { TrustedProxies } from '../../environment/values/trusted-proxies.ts';
import { inServiceTrace } from '../../support/tracing/spans.ts';
import type {
  GatewayRequest,
  IdentifiedRequest,
  ReadRequest,
  RoutedRequest,
} from './gateway-request.ts';
import { prefersEvents } from './headers/prefers-events.ts';
import { Capacity, type CapacityLimits } from './limits/capacity.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { assertOrigin, type McpAdapter } from './mcp.ts';
import type { Reply } from './reply.ts';
import type { Asset, Redirect } from './routing/assets.ts';
import type { Route } from './routing/router.ts';
import { assertAccess, callAction } from './steps/call.ts';
import { createIdempotencyStep, type IdempotencyRecords } from './steps/idempotency.ts';
import { createIdentifyStep, type Identify } from './steps/identify.ts';
import { limitFile, limitRequest } from './steps/limit.ts';
import { readRequest } from './steps/read.ts';
import { receiveUpload } from './steps/receive-upload.ts';
import { createRefuseStep } from './steps/refuse.ts';
import { renderResult } from './steps/render.ts';
import { createRouteStep } from './steps/route.ts';
import { sendFile } from './steps/send-file.ts';
import { streamAnswer } from './steps/stream-answer.ts';
import { streamEvents } from './steps/stream-events.ts';

/** The settings of the steps of a request. */
export interface RequestHandlerOptions {
  routes: readonly Route[];
  /** Files and redirects that the gateway serves beside the operations, by their exact path. */
  assets: Readonly<Record<string, Asset | Redirect>>;
  trustedProxies: TrustedProxies;
  /** Limits the requests of each caller; null for no limit. */
  limiter: RateLimiter | null;
  /** The limits of requests that wait for an event, and of those that upload or download a file. */
  capacity: CapacityLimits;
  /** Finds the caller of a request by its key or token; throws 401 for an invalid key or token. */
  identify: Identify;
  /** The records of requests with an `Idempotency-Key`. */
  idempotencyRecords: IdempotencyRecords;
  /** The Model Context Protocol, for routes of that protocol. */
  mcp: McpAdapter;
  logger: Logger;
}

/** Answers a request with a reply; null where the client has gone and the call was not made, and after a stream. */
export type HandleRequest = (
  broker: ServiceBroker,
  request: GatewayRequest,
) => Promise<Reply | null>;

/**
 * Makes the handler of all requests. The steps run in the order in which the interface checks a request; each
 * step is one function in `steps/`, and throws a problem with one of the statuses beside it.
 */
export function createRequestHandler(options: RequestHandlerOptions): HandleRequest {
  const { limiter } = options;
  const capacity = new Capacity(options.capacity, options.trustedProxies);
  const findTarget = createRouteStep(options.routes, options.assets);
  const identify = createIdentifyStep(options.identify, limiter);
  const answerOnce = createIdempotencyStep(options.idempotencyRecords, options.logger);
  const refuse = createRefuseStep(options.routes, options.mcp, options.logger);

  async function handleRequest(
    broker: ServiceBroker,
    request: GatewayRequest,
  ): Promise<Reply | null> {
    return orRefusal(request, async () => {
      const target = findTarget(request); // 400, 404, 405
      if (target.kind === 'file') limitFile(limiter, request); // 429
      if (target.kind !== 'operation') return target.reply;
      const { service, traceparent } = request;
      return inServiceTrace(service, traceparent, () => handleOperation(broker, target.request));
    });
  }

  async function handleOperation(
    broker: ServiceBroker,
    routed: RoutedRequest,
  ): Promise<Reply | null> {
    const identified = await identify(routed); // 400, 401, 429
    const onAnswer = limitRequest(limiter, identified); // 429
    const serve = async () => {
      const reply = await handleIdentified(broker, identified);
      if (reply) onAnswer(reply.status);
      return reply;
    };
    return capacity.hold(identified, serve); // 429, 503
  }

  async function handleIdentified(
    broker: ServiceBroker,
    identified: IdentifiedRequest,
  ): Promise<Reply | null> {
    const { protocol } = identified.route.contract;
    if (protocol === 'mcp') assertOrigin(identified, options.mcp); // 403
    const request = await readRequest(identified); // 400, 413, 415
    if (protocol === 'mcp') return answerMessage(broker, request); // 400, 406, 429
    const call = () => orRefusal(request, () => callOperation(broker, request)); // the statuses of the operation
    return answerOnce(request, call, () => assertAccess(broker, request)); // 403, 404, 409, 422
  }

  function answerMessage(broker: ServiceBroker, request: ReadRequest): Promise<Reply | null> {
    return options.mcp.answer(broker, request, (call) => capacity.holdWaiting(request, call));
  }

  /** Answers in the form that the contract says; null where the response is sent already. */
  async function callOperation(broker: ServiceBroker, request: ReadRequest): Promise<Reply | null> {
    const { format, upload, streamed } = request.route.contract;
    if (format === 'events') return streamEvents(broker, request, identify);
    if (format === 'file') return sendFile(broker, request);
    if (upload) return renderResult(request, await receiveUpload(broker, request, upload)); // 408, 413, 415
    const asEvents = streamed && prefersEvents(request.http.headers.accept);
    const result = await callAction(broker, request, asEvents ? { meta: { asEvents } } : {});
    if (!(result instanceof Readable)) return renderResult(request, result);
    await streamAnswer(request, result, (error) => refuse(request, error));
    return null;
  }

  /** The reply of `serve`, or the problem document of its error. */
  async function orRefusal(
    request: GatewayRequest,
    serve: () => Promise<Reply | null>,
  ): Promise<Reply | null> {
    try {
      return await serve();
    } catch (error) {
      return refuse(request, error);
    }
  }

  return handleRequest;
}
