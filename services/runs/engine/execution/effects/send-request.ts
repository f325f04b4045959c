import { MAX_OUTPUT_BYTES } from '@workspace-automation/flow-language';
import type { OutboundRequest, OutboundResponse } from '@workspace-automation/outbound-http';
import { secretRedirect } from '../../../../../support/masking/secret-redirect.ts';
import { childOf, currentTrace } from '../../../../../support/tracing/context.ts';
import { type Attributes, type SpanStart, spanIn } from '../../../../../support/tracing/spans.ts';
import type { CallTime } from './call-time.ts';
import type { EffectContext } from './effect.ts';
import { summarizeRequest, summarizeResponse } from './exchange-summaries.ts';

/** The parts of a request that a task or its API description decides. */
type FlowRequest = Required<Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>> &
  Pick<OutboundRequest, 'secretHeaders'>;

/**
 * Sends one request of a flow, within a span of its own. An aborted request rejects, since the called server may
 * have carried the request out. The answer is not masked.
 */
export function sendRequest(
  request: FlowRequest,
  { tools, idempotencyKey, secrets, exchange }: EffectContext,
  time: CallTime,
): Promise<OutboundResponse> {
  secrets.assertMaskable();
  return time.spend((timeoutMs, signal) =>
    traceRequest(request, async (traceparent) => {
      const ownHeaders = ownHeadersOf(request, idempotencyKey, traceparent);
      const headers = [request.headers, ownHeaders, request.secretHeaders];
      exchange.noteRequest(summarizeRequest({ ...request, headers }, secrets));
      const response = await tools.outbound.send({
        ...request,
        ownHeaders,
        timeoutMs,
        signal,
        maxBytes: MAX_OUTPUT_BYTES, // a longer body never becomes an output
        refuseRedirect: (to) => secretRedirect(request.url, to, secrets),
      });
      exchange.noteResponse(summarizeResponse(response, secrets));
      return response;
    }),
  );
}

/** Makes the output of an answer; that of a large answer in its turn. */
export const readAnswer = <T>(
  { body }: OutboundResponse,
  { answers, signal }: EffectContext,
  read: () => T,
): Promise<T> => answers.read(body.byteLength, read, signal);

/**
 * Makes the headers that the service adds, and that go along with every redirection: the idempotency key and
 * `traceparent`, unless the flow sets that header.
 */
function ownHeadersOf({ headers }: FlowRequest, idempotencyKey: string, traceparent: string) {
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const own = { 'idempotency-key': idempotencyKey, traceparent };
  return Object.fromEntries(Object.entries(own).filter(([name]) => !named.has(name)));
}

/** Makes the attributes of the span, without path and query of the request, which may hold secrets. */
function attributesOf({ method, url }: FlowRequest): Attributes {
  const target = URL.parse(url);
  if (!target) return { 'http.request.method': method };
  const { hostname, port, protocol } = target;
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}

const spanOf = (request: FlowRequest): SpanStart => ({
  name: request.method,
  kind: 'client',
  attributes: attributesOf(request),
});

/** Sends a request within a span of its own. An answer of 400 or more is a failure to its client. */
function traceRequest(
  request: FlowRequest,
  send: (traceparent: string) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  return spanIn(
    currentTrace(),
    () => spanOf(request),
    async (traceparent, span) => {
      const response = await send(span ? traceparent : childOf(traceparent));
      span?.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span?.fail(String(response.status));
      return response;
    },
  );
}
