import type { Logger } from 'pino';
import { nameOfCaller } from '../../contract/caller.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';
import { traceFields } from '../../support/tracing/context.ts';
import type { GatewayRequest } from './gateway-request.ts';

/** A request has arrived. */
export const requestBegun = new DiagnosticEvent<Record<string, never>>('request-begun');

/** A response was sent, or its client disconnected before (499). `route` is the path as the contract writes it. */
export const requestEnded = new DiagnosticEvent<{
  method: string;
  route: string | undefined;
  status: number;
  ms: number;
}>('request-ended');

/** Writes one line in the log when a response is sent or its client disconnects. The line has no query, header or body. */
export function logAccess(logger: Logger, request: GatewayRequest): void {
  const started = performance.now();
  requestBegun.publish({});
  const { http, response, requestId, traceparent, client } = request;
  response.once('close', () => {
    const { routePath: route } = request;
    const { method = '' } = http;
    const status = response.writableFinished ? response.statusCode : 499;
    const ms = performance.now() - started;
    requestEnded.publish({ method, route, status, ms });
    if (request.span) endSpan(request, status);
    logger.info({
      requestId,
      ...traceFields(traceparent),
      method,
      route: route ?? null,
      status,
      ms: Math.round(ms * 10) / 10,
      address: client.address,
      caller: nameOfCaller(request.caller) ?? request.principal,
    });
  });
}

function endSpan({ span, http, routePath }: GatewayRequest, status: number): void {
  const route: Record<string, string> = routePath ? { 'http.route': routePath } : {};
  if (routePath) span?.rename(`${http.method} ${routePath}`);
  span?.set({ ...route, 'http.response.status_code': status });
  if (status >= 500) span?.fail(String(status));
  span?.end();
}
