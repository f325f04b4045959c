import type { IncomingMessage } from 'node:http';
import { childOf, newTraceparent, readTraceparent } from '../../../support/tracing/context.ts';
import { beginSpan, type Span } from '../../../support/tracing/spans.ts';

export interface TracedRequest extends IncomingMessage {
  /** The trace that the request is part of, and its own place in it. */
  traceparent: string;
  /** Its span, where spans are recorded. */
  span: Span | null;
}

/** Takes the trace of a request from its `traceparent`; one that is none is ignored and a new one begins. */
export function takeTrace(req: TracedRequest): void {
  const parent = readTraceparent(req.headers.traceparent) ?? undefined;
  const method = req.method ?? '';
  req.span = beginSpan(parent, method, 'request', { 'http.request.method': method });
  req.traceparent =
    req.span?.traceparent ?? (parent === undefined ? newTraceparent() : childOf(parent));
}
