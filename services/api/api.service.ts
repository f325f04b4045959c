import type { Service, ServiceSchema } from 'moleculer';
import { asSystem, type Caller } from '../../contract/caller.ts';
import { build } from '../../environment/build.ts';
import { environment, publicUrl, stopNoticeMs } from '../../environment/environment.ts';
import { Database } from '../../mixins/database/database.ts';
import { Gateway, isDraining } from '../../mixins/gateway/gateway.ts';
import { RateLimiter } from '../../mixins/gateway/limits/rate-limiter.ts';
import { IdempotencyRecordModel } from '../../models/idempotency-record.model.ts';
import { logger } from '../../support/logging.ts';
import { type Actions, implement, on } from '../contracts.ts';
import {
  apiKeyRevoked,
  serviceAccountChanged,
  sessionRevoked,
} from '../identity/identity.events.ts';
import { allRoutes } from '../routes.ts';
import { apiContract } from './api.contract.ts';
import { docsAssets, docsPage } from './docs/page.ts';
import { homeAssets, homePage } from './home/page.ts';
import { idempotencyRecords } from './idempotency/records.ts';
import { Callers } from './identify.ts';
import { isAllowedOrigin } from './mcp/http/allowed-origin.ts';
import type { answerRequest } from './mcp/http/answer-request.ts';
import { mcpCallOf } from './mcp/mcp-call.ts';
import { protectedResource, protectedResourceUrl } from './mcp/protected-resource.ts';
import { openapiDocument } from './openapi/document.ts';
import { readiness, sharedDependencies, waitUntilReady } from './readiness.ts';
import { countReported, ReportCounts } from './share-counts.ts';

/** Answers a request of the Model Context Protocol. The first one loads the protocol's modules, which take long. */
const answerMcp: typeof answerRequest = async (...request) =>
  (await import('./mcp/http/answer-request.ts')).answerRequest(...request);

/** The gateway's service: it turns HTTP requests into calls of actions, and has no business rule. */
export function apiService(): ServiceSchema {
  let broker: Service['broker'];
  let dependencies: ReturnType<typeof sharedDependencies>;
  const limiter = environment.RATE_LIMIT && new RateLimiter(environment.RATE_LIMIT);
  const callers = new Callers({
    ofToken: (token) => ask('identity.authenticate', { token }),
    ofKey: (key) => ask('identity.authenticateKey', { key }),
  });
  const ask = async (
    name: 'identity.authenticate' | 'identity.authenticateKey',
    params: Partial<Record<'token' | 'key', string>>,
  ): Promise<Caller | null> =>
    (
      await broker.call<Actions[typeof name]['result'], typeof params>(
        name,
        params,
        asSystem('api'),
      )
    ).caller;

  return {
    name: 'api',
    mixins: [
      Gateway({
        routes: allRoutes(),
        port: environment.PORT,
        host: environment.HOST,
        isHttps: publicUrl.startsWith('https:'),
        limits: {
          headersTimeoutMs: environment.HEADERS_TIMEOUT_MS,
          requestTimeoutMs: environment.REQUEST_TIMEOUT_MS,
          maxConnections: environment.MAX_CONNECTIONS,
        },
        corsOrigins: environment.CORS_ORIGINS,
        trustedProxies: environment.TRUSTED_PROXIES,
        limiter,
        capacity: {
          waiting: {
            perCaller: environment.WAITING_PER_CALLER,
            perProcess: environment.WAITING_PER_PROCESS,
          },
          uploads: {
            perCaller: environment.UPLOADS_PER_CALLER,
            perProcess: environment.UPLOADS_PER_PROCESS,
          },
          downloads: {
            perCaller: environment.DOWNLOADS_PER_CALLER,
            perProcess: environment.DOWNLOADS_PER_PROCESS,
          },
        },
        noticeMs: stopNoticeMs,
        assets: { ...homeAssets, ...docsAssets },
        logger,
        identify: (...request) => callers.identify(...request),
        idempotencyRecords,
        mcp: { answer: answerMcp, isAllowedOrigin, protectedResourceUrl },
      }),
      Database(IdempotencyRecordModel),
      ...(limiter && environment.NATS_URL ? [ReportCounts(limiter)] : []),
    ],
    actions: implement(apiContract, {
      home: () => homePage(),
      live: () => ({ status: 'up' as const, ...build }),
      ready() {
        return readiness(dependencies, isDraining(this));
      },
      openapi: () => openapiDocument(),
      docs: () => docsPage(),
      async mcp(ctx) {
        const { answerMessage } = await import('./mcp/answer-message.ts');
        return answerMessage(ctx.params.message, mcpCallOf(ctx));
      },
      mcpResource: () => protectedResource(),
    }),
    events: {
      ...(limiter ? countReported(limiter) : {}),
      ...on(sessionRevoked, () => callers.drop()),
      ...on(apiKeyRevoked, () => callers.drop()),
      ...on(serviceAccountChanged, () => callers.drop()),
    },
    methods: {
      /** Resolves when the next call is answered. */
      untilReady: () => waitUntilReady(broker, (line) => logger.warn(line)),
    },
    created() {
      broker = this.broker;
      dependencies = sharedDependencies(broker);
    },
  };
}
