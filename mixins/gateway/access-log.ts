import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type Caller, nameOfCaller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';
import { traceFields } from '../../support/tracing/context.ts';
import type { TracedRequest } from './headers/trace.ts';

/** A request has been answered, or its client has gone (499). The route as the contract writes it. */
export const requestEnded = new DiagnosticEvent<{
  method: string;
  route: string | undefined;
  status: number;
  ms: number;
}>('request-ended');

export interface LoggedRequest extends TracedRequest {
  requestId: string;
  client: Client;
  caller?: Caller;
  /** Whom a refused request was about, where the service knows; not proven. */
  principal?: string | undefined;
  /** The route as the contract writes it; never the path of a request whose segments may be secret. */
  routePath?: string | undefined;
}

/** One line a request, when its answer has been sent or its client has gone. No query, no header, no body. */
export function logAccess(logger: Logger, req: LoggedRequest, res: ServerResponse): void {
  const started = performance.now();
  res.once('close', () => {
    const { method = '', routePath: route } = req;
    const status = res.writableFinished ? res.statusCode : 499;
    const ms = performance.now() - started;
    requestEnded.publish({ method, route, status, ms });
    if (req.span) endSpan(req, status);
    logger.info({
      requestId: req.requestId,
      ...traceFields(req.traceparent),
      method,
      route: route ?? null,
      status,
      ms: Math.round(ms * 10) / 10,
      address: req.client.address,
      caller: nameOfCaller(req.caller) ?? req.principal,
    });
  });
}

function endSpan({ span, method, routePath }: LoggedRequest, status: number): void {
  const route: Record<string, string> = routePath ? { 'http.route': routePath } : {};
  if (routePath) span?.rename(`${method} ${routePath}`);
  span?.set({ ...route, 'http.response.status_code': status });
  span?.end(status >= 500);
}
