import type { IncomingMessage } from 'node:http';
import { childOf, newTraceparent, readTraceparent } from '../../../support/tracing/context.ts';
import { beginSpan, type Span } from '../../../support/tracing/spans.ts';

/** Continues the trace of the request's `traceparent`; an invalid one is ignored, and a new trace begins. */
export function beginTrace(
  http: IncomingMessage,
  clientAddress: string,
  service: string,
): { traceparent: string; span: Span | null } {
  const parent = readTraceparent(http.headers.traceparent) ?? undefined;
  const method = http.method ?? '';
  const span = beginSpan(parent, {
    name: method,
    kind: 'server',
    service,
    attributes: { 'http.request.method': method, 'client.address': clientAddress },
  });
  const traceparent =
    span?.traceparent ?? (parent === undefined ? newTraceparent() : childOf(parent));
  return { traceparent, span };
}
