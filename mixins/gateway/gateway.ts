import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import type { Logger } from 'pino';
import type { RateLimit } from '../../environment/values/rate-limit.ts';
import type { TrustedProxies } from '../../environment/values/trusted-proxies.ts';
import { inTrace } from '../../support/tracing/context.ts';
import { logAccess } from './access-log.ts';
import { answerBrokenRequests } from './connections/broken-requests.ts';
import { Draining } from './connections/draining.ts';
import { createHttpServer, type ServerLimits } from './connections/http-server.ts';
import {
  type GatewayRequest,
  gatewayRequestOf,
  type ReadRequest,
  type RoutedRequest,
} from './gateway-request.ts';
import { setCorsHeaders } from './headers/cors.ts';
import { securityHeaders } from './headers/security-headers.ts';
import { UntrustedProxyHint } from './headers/untrusted-proxy-hint.ts';
import { BodyMemory } from './limits/body-memory.ts';
import { withinCapacity } from './limits/capacity.ts';
import { RateLimiter } from './limits/rate-limiter.ts';
import { type WaitingLimits, WaitingRequests } from './limits/waiting-requests.ts';
import type { Reply } from './reply.ts';
import type { Asset } from './routing/assets.ts';
import type { Route } from './routing/router.ts';
import { assertAccess, callAction } from './steps/call.ts';
import { type IdempotencyRecords, idempotency } from './steps/idempotency.ts';
import { type Identify, identification } from './steps/identify.ts';
import { limitFile, limitRequest } from './steps/limit.ts';
import { readRequest } from './steps/read.ts';
import { refusals } from './steps/refuse.ts';
import { renderResult } from './steps/render.ts';
import { routing } from './steps/route.ts';
import { send } from './steps/send.ts';

/** What the gateway needs to know of the system it stands before. */
export interface GatewayOptions {
  routes: readonly Route[];
  port: number;
  host: string;
  /** Whether clients come by https, wherever that ends. */
  isHttps: boolean;
  limits: ServerLimits;
  corsOrigins: readonly string[];
  trustedProxies: TrustedProxies;
  /** Requests of one caller; null for as many as they like. */
  rateLimit: RateLimit | null;
  /** Requests that wait for something to happen. */
  waiting: WaitingLimits;
  /** Milliseconds for which a gateway that stops says that it is not ready before its port closes. */
  noticeMs: number;
  /** Files served beside the operations, by their exact path. */
  assets: Readonly<Record<string, Asset>>;
  logger: Logger;
  /** Finds out who sends a request, by its key or token; throws 401 for one that is not valid. */
  identify: Identify;
  /** Where answers to requests with an `Idempotency-Key` are kept. */
  idempotencyRecords: IdempotencyRecords;
}

/** What the mixin keeps in its service, beside what moleculer-web keeps there. */
interface GatewayService {
  broker: ServiceBroker;
  server: Server;
  draining: Draining;
  httpHandler: RequestListener;
}

/** Whether the gateway has begun to stop. */
export const isDraining = (service: Service): boolean =>
  (service as unknown as GatewayService).draining.begun;

/**
 * The way of a request, in the order in which the interface checks it. Each step does one thing, or refuses
 * the request by throwing a problem.
 */
function requestSteps(options: GatewayOptions) {
  const limiter = options.rateLimit && new RateLimiter(options.rateLimit);
  const waiting = new WaitingRequests(options.waiting, options.trustedProxies);
  const bodies = new BodyMemory();
  const findTarget = routing(options.routes, options.assets);
  const identify = identification(options.identify, limiter);
  const answerOnce = idempotency(options.idempotencyRecords, options.logger);
  const refuse = refusals(options.routes, options.logger);

  /** Null where nobody waits for the answer any more. */
  async function serve(broker: ServiceBroker, routed: RoutedRequest): Promise<Reply | null> {
    const request = await identify(routed); // 401
    limitRequest(limiter, request); // 429
    return withinCapacity(waiting, bodies, request, async () => {
      const read = await readRequest(request); // 415, 413, 400
      const reply = () => replyTo(broker, read);
      return answerOnce(read, reply, () => assertAccess(broker, read)); // 400, 409, 422, 404, 403
    });
  }

  async function replyTo(broker: ServiceBroker, request: ReadRequest): Promise<Reply> {
    try {
      return renderResult(request, await callAction(broker, request));
    } catch (error) {
      return refuse(request, error);
    }
  }

  return async (broker: ServiceBroker, request: GatewayRequest): Promise<Reply | null> => {
    try {
      const target = findTarget(request); // 400, 404, 405
      if (target.kind === 'file') limitFile(limiter, request); // 429
      if (target.kind !== 'operation') return target.reply;
      return await inTrace(request.traceparent, () => serve(broker, target.request));
    } catch (error) {
      return refuse(request, error);
    }
  };
}

/**
 * The HTTP side of the system: routes are exact, OPTIONS runs nothing, HEAD is GET, each value comes from
 * its own place, every failure is a problem document, and stopping waits for what is in flight. Of
 * moleculer-web there is the life of the server: it opens the port at the start and closes it at the end.
 */
export function Gateway(options: GatewayOptions): Partial<ServiceSchema> {
  const { trustedProxies, logger } = options;
  const answer = requestSteps(options);
  const origins = new Set(options.corsOrigins);
  const proxyHint = new UntrustedProxyHint(trustedProxies, logger);
  const commonHeaders = securityHeaders(options.isHttps);

  return {
    mixins: [ApiGateway],
    settings: {
      port: options.port,
      ip: options.host,
      logRouteRegistration: null,
      routes: [{ path: '/', mappingPolicy: 'restrict' }], // moleculer-web's own way leads nowhere
    },
    actions: { rest: false, listAliases: false, addRoute: false, removeRoute: false },
    created(this: GatewayService) {
      this.draining = new Draining(options.noticeMs);
      answerBrokenRequests(this.server, logger, commonHeaders);
    },
    methods: {
      createServer(this: GatewayService) {
        this.server = createHttpServer(options.limits, trustedProxies, logger, this.httpHandler);
      },
      async httpHandler(this: GatewayService, http: IncomingMessage, response: ServerResponse) {
        const request = gatewayRequestOf(http, response, trustedProxies);
        proxyHint.inspect(http);
        response.setHeader('X-Request-Id', request.requestId);
        for (const name in commonHeaders) response.setHeader(name, commonHeaders[name] ?? '');
        logAccess(logger, request);
        await this.draining.held;
        if (this.draining.begun) response.setHeader('Connection', 'close');
        setCorsHeaders(http, response, origins);
        const reply = await answer(this.broker, request);
        if (reply) await send(http, response, reply);
      },
      /** Takes no new work and waits for what is in flight, `deadlineMs` at most. */
      async drain(this: GatewayService, deadlineMs: number) {
        await this.draining.drain(this.server, deadlineMs);
      },
    },
  } as unknown as Partial<ServiceSchema>;
}
