import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { logAccess } from './access-log.ts';
import { BodyDeadlines } from './connections/body-deadlines.ts';
import { answerBrokenRequests } from './connections/broken-requests.ts';
import { Draining } from './connections/draining.ts';
import { createHttpServer, type ServerLimits } from './connections/http-server.ts';
import { type GatewayRequest, gatewayRequestOf } from './gateway-request.ts';
import { setCorsHeaders } from './headers/cors.ts';
import { securityHeaders } from './headers/security-headers.ts';
import { UntrustedProxyHint } from './headers/untrusted-proxy-hint.ts';
import { createRequestHandler, type RequestHandlerOptions } from './request-handler.ts';
import { send } from './steps/send.ts';

/** The settings of a gateway and of its HTTP server. */
export interface GatewayOptions extends RequestHandlerOptions {
  port: number;
  host: string;
  /** Whether clients use https, also where a proxy ends it. */
  isHttps: boolean;
  limits: ServerLimits;
  /** Origins whose pages may read responses. */
  corsOrigins: readonly string[];
  /** Milliseconds for which a stopping gateway answers that it is not ready, before its port closes. */
  noticeMs: number;
}

/** The properties of the mixin's service, beside those of moleculer-web. */
interface GatewayService {
  name: string;
  broker: ServiceBroker;
  server: Server;
  draining: Draining;
  bodyDeadlines: BodyDeadlines;
  httpHandler: RequestListener;
}

/** Whether the gateway has begun to stop. */
export const isDraining = (service: Service): boolean =>
  (service as unknown as GatewayService).draining.hasBegun;

/**
 * The mixin of the HTTP gateway: `request-handler.ts` has the steps of a request. moleculer-web only opens the
 * port when the service starts and closes the port when the service stops.
 */
export function Gateway(options: GatewayOptions): Partial<ServiceSchema> {
  const { trustedProxies, logger } = options;
  const handleRequest = createRequestHandler(options);
  const origins = new Set(options.corsOrigins);
  const proxyHint = new UntrustedProxyHint(trustedProxies, logger);
  const commonHeaders = securityHeaders(options.isHttps);

  return {
    mixins: [ApiGateway],
    settings: {
      port: options.port,
      ip: options.host,
      logRouteRegistration: null,
      routes: [{ path: '/', mappingPolicy: 'restrict' }], // no alias: moleculer-web handles no request
    },
    actions: { rest: false, listAliases: false, addRoute: false, removeRoute: false },
    created(this: GatewayService) {
      this.draining = new Draining(options.noticeMs);
      answerBrokenRequests(this.server, logger, commonHeaders);
    },
    methods: {
      createServer(this: GatewayService) {
        const { limits } = options;
        this.server = createHttpServer(limits, trustedProxies, logger, this.httpHandler);
        this.bodyDeadlines = new BodyDeadlines(limits.requestTimeoutMs);
        this.bodyDeadlines.watch(this.server);
      },
      async httpHandler(this: GatewayService, http: IncomingMessage, response: ServerResponse) {
        const { draining, bodyDeadlines } = this;
        const request = gatewayRequestOf(
          http,
          response,
          trustedProxies,
          draining.begun,
          bodyDeadlines,
          this.name,
        );
        proxyHint.inspect(http);
        response.setHeader('X-Request-Id', request.requestId);
        for (const name in commonHeaders) response.setHeader(name, commonHeaders[name] ?? '');
        logAccess(logger, request);
        await draining.hold;
        if (draining.hasBegun) response.setHeader('Connection', 'close');
        setCorsHeaders(http, response, origins);
        const reply = await handleRequest(this.broker, request);
        if (reply) await send(http, response, reply, lingerMsOf(request));
      },
      /** Closes the port and waits for requests in flight, `deadlineMs` milliseconds at most. */
      async drain(this: GatewayService, deadlineMs: number) {
        await this.draining.drain(this.server, deadlineMs);
      },
    },
  } as unknown as Partial<ServiceSchema>;
}

/** Milliseconds for which the rest of a refused upload is read, so that its client, who still sends, reads the answer. */
const UPLOAD_LINGER_MS = 1_000;
const lingerMsOf = ({ route }: GatewayRequest): number =>
  route?.contract.upload ? UPLOAD_LINGER_MS : 0;
