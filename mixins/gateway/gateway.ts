import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Service, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import type { Logger } from 'pino';
import { problemsOf } from '../../contract/contract.ts';
import {
  BadRequest,
  MethodNotAllowed,
  NotFound,
  Problem,
  type ProblemType,
  RateLimited,
} from '../../contract/problem.ts';
import type { TrustedProxies } from '../../environment/trusted-proxies.ts';
import type { RateLimit } from '../../support/token-buckets.ts';
import { inTrace } from '../../support/tracing/context.ts';
import { logAccess } from './access-log.ts';
import { answerBrokenRequests } from './connections/broken-requests.ts';
import { Draining } from './connections/draining.ts';
import { createHttpServer, type ServerLimits } from './connections/http-server.ts';
import {
  type Alias,
  clientOf,
  type GatewayRequest,
  prepareCall,
  splitUrl,
  takeRequestId,
} from './gateway-request.ts';
import { setCorsHeaders } from './headers/cors.ts';
import { securityHeaders } from './headers/security-headers.ts';
import { takeTrace } from './headers/trace.ts';
import { UntrustedProxyHint } from './headers/untrusted-proxy-hint.ts';
import { BodyMemory } from './limits/body-memory.ts';
import { RateLimiter } from './limits/rate-limiter.ts';
import { asksToWait, type WaitingLimits, WaitingRequests } from './limits/waiting-requests.ts';
import { principalOf, problemAnswer, sendProblem } from './problem-response.ts';
import { type Asset, sendAsset } from './routing/assets.ts';
import type { Route } from './routing/router.ts';
import { Admission, type Identify } from './steps/identify.ts';
import { Routing } from './steps/route.ts';
import { sendResult } from './steps/send.ts';

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
  /** Who sends the request, by its key or token; throws 401 for one that is no good. */
  identify: Identify;
}

/** What the rest of the mixin sees of moleculer-web's service. */
interface GatewayService {
  aliases: { action: string }[];
  server: Server;
  draining: Draining;
  httpHandler: RequestListener;
}

/** Whether the gateway has begun to stop. */
export const isDraining = (service: Service): boolean =>
  (service as unknown as GatewayService).draining.begun;

/** What moleculer-web itself does with a request. */
const handle = ApiGateway.methods?.httpHandler as unknown as (
  this: GatewayService,
  req: GatewayRequest,
  res: ServerResponse,
) => Promise<void>;

/** Reads the request and calls its action; ends with the call, also where the client has gone. */
const callAlias = ApiGateway.methods?.aliasHandler as unknown as (
  this: GatewayService,
  req: GatewayRequest,
  res: ServerResponse,
  alias: Alias,
) => Promise<unknown>;

const ROUTER_PROBLEMS = new Map(
  [BadRequest, NotFound, MethodNotAllowed, RateLimited].map((type) => [type.code, type]),
);

/**
 * moleculer-web with its habits mended: routes are exact, OPTIONS runs nothing, HEAD is GET, a wrong
 * method is 405, the token is checked before the body is read, each value comes from its own place,
 * every failure is a problem document, and stopping waits for what is in flight.
 */
export function Gateway(options: GatewayOptions): Partial<ServiceSchema> {
  const routing = new Routing(options.routes, options.assets);
  const origins = new Set(options.corsOrigins);
  const proxyHint = new UntrustedProxyHint(options.trustedProxies, options.logger);
  const commonHeaders = securityHeaders(options.isHttps);
  const limiter = options.rateLimit && new RateLimiter(options.rateLimit);
  const waiting = new WaitingRequests(options.waiting, options.trustedProxies);
  const bodies = new BodyMemory();
  const admission = new Admission(options.identify, limiter);
  const problems = new Map<string, ReadonlyMap<string, ProblemType>>(
    options.routes.map(({ action, contract }) => [
      action,
      new Map(problemsOf(contract).map((type) => [type.code, type])),
    ]),
  );
  const aliasOf = new WeakMap<Route, Alias>();

  function refuse(req: GatewayRequest, res: ServerResponse, error: unknown): void {
    const named = problems.get(req.match?.route.action) ?? ROUTER_PROBLEMS;
    const answer = problemAnswer(error, named);
    req.principal = principalOf(error);
    if (answer.type.status === 500 && !(error instanceof Problem)) {
      options.logger.error({ err: error, requestId: req.requestId, route: req.routePath });
    }
    sendProblem(req, res, req.requestId, answer);
  }

  return {
    mixins: [ApiGateway as unknown as ServiceSchema],
    settings: {
      port: options.port,
      ip: options.host,
      logRequest: null,
      logResponse: null,
      logRequestParams: null,
      logRouteRegistration: null,
      onError: null,
      routes: [
        {
          path: '/',
          mappingPolicy: 'restrict',
          mergeParams: false,
          bodyParsers: false,
          etag: false,
          logging: false,
          aliases: Object.fromEntries(
            options.routes.map(({ method, path, action }) => [`${method} ${path}`, action]),
          ),
          onBeforeCall: prepareCall,
        },
      ],
    },
    created(this: GatewayService) {
      this.draining = new Draining(options.noticeMs);
      answerBrokenRequests(this.server, options.logger, commonHeaders);
    },
    actions: { listAliases: false, addRoute: false, removeRoute: false },
    methods: {
      createServer(this: GatewayService) {
        const { limits, trustedProxies, logger } = options;
        this.server = createHttpServer(limits, trustedProxies, logger, this.httpHandler);
      },
      async httpHandler(this: GatewayService, req: GatewayRequest, res: ServerResponse) {
        req.requestId = takeRequestId(req);
        req.client = clientOf(req, options.trustedProxies);
        proxyHint.inspect(req);
        res.setHeader('X-Request-Id', req.requestId);
        for (const name in commonHeaders) res.setHeader(name, commonHeaders[name] ?? '');
        takeTrace(req);
        logAccess(options.logger, req, res);
        try {
          await this.draining.held;
          if (this.draining.begun) res.setHeader('Connection', 'close');
          setCorsHeaders(req, res, origins);
          const found = routing.find(req, res);
          if (!found) return;
          if ('file' in found) {
            admission.admitFile(req, res);
            await sendAsset(req, res, found);
            return;
          }
          await inTrace(req.traceparent, async () => {
            await admission.admit(req, res);
            await handle.call(this, req, res);
          });
        } catch (error) {
          refuse(req, res, error);
        }
      },
      async aliasHandler(
        this: GatewayService,
        req: GatewayRequest,
        res: ServerResponse,
        alias: Alias,
      ) {
        const { route, query } = req.match;
        const call = () =>
          bodies.hold(req, route.contract, () => callAlias.call(this, req, res, alias));
        return asksToWait(route.contract, query) ? waiting.hold(req, res, call) : call();
      },
      sendResponse: sendResult,
      errorHandler(req: GatewayRequest, res: ServerResponse, error: unknown) {
        refuse(req, res, error);
      },
      parseQueryString(req: GatewayRequest) {
        return { url: splitUrl(req.url ?? '')[0], query: {} };
      },
      /** moleculer-web asks by path and method; the answer is the route that `httpHandler` found. */
      resolveAlias(this: GatewayService, url: string, method: string) {
        const found = routing.routeOf(url, method);
        if (!found) return false;
        const alias = aliasOf.get(found) ?? this.aliases.find((a) => a.action === found.action);
        if (alias) aliasOf.set(found, alias);
        return alias ? { alias, params: {} } : false;
      },
      /** Takes no new work and waits for what is in flight, `deadlineMs` at most. */
      async drain(this: GatewayService, deadlineMs: number) {
        await this.draining.drain(this.server, deadlineMs);
      },
    },
  } as unknown as Partial<ServiceSchema>;
}
