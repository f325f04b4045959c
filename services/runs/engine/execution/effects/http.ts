import {
  FlowError,
  flowError,
  type HttpEffect,
  httpOutput,
  type Json,
  MAX_OUTPUT_BYTES,
} from '@workspace-automation/flow-language';
import {
  type OutboundClient,
  OutboundError,
  type OutboundResponse,
} from '@workspace-automation/outbound-http';
import { childOf, currentTrace } from '../../../../../support/tracing/context.ts';
import { type Attributes, spanIn } from '../../../../../support/tracing/spans.ts';

/** Milliseconds that a call may take by itself, and if its task has a longer timeout of its own. */
const USUAL_CALL_MS = 60_000;
const LONGEST_CALL_MS = 10 * 60_000;

/** How long a call of a task may take, whatever the time that its run has: nobody waits for an hour. */
export const longestCallMs = (taskTimeoutMs = 0): number =>
  Math.min(Math.max(USUAL_CALL_MS, taskTimeoutMs), LONGEST_CALL_MS);

export type CallEnd =
  | { kind: 'succeeded'; value: Json }
  | { kind: 'failed'; problem: FlowError['problem'] }
  | { kind: 'timed-out' };

/** No body that is longer becomes an output. */
const maxBytes = MAX_OUTPUT_BYTES;

const TIMED_OUT: CallEnd = { kind: 'timed-out' };

function tooLong(ms: number): CallEnd {
  const { problem } = flowError(
    'timeout',
    'TASK_TIMEOUT',
    `there was no whole answer within ${ms} ms; a longer timeout of the task waits for up to ${LONGEST_CALL_MS} ms`,
  );
  return { kind: 'failed', problem };
}

/**
 * Sends one request of a flow. What the other side or the network does wrong is the flow's error; an
 * aborted request rejects, since nothing is known of its end.
 */
export async function outboundCall(
  client: OutboundClient,
  effect: HttpEffect,
  options: { idempotencyKey: string; deadline: number; longestMs: number; signal: AbortSignal },
): Promise<CallEnd> {
  const left = options.deadline - Date.now();
  const timeoutMs = Math.min(left, options.longestMs);
  if (timeoutMs <= 0) return TIMED_OUT;
  try {
    const { method, url, body } = effect;
    const response = await asSpan(effect, (traceparent) => {
      const { headers } = effect;
      const ownHeaders = ownHeadersOf(effect, options.idempotencyKey, traceparent);
      const { signal } = options;
      return client.send({ method, url, headers, ownHeaders, body, timeoutMs, signal, maxBytes });
    });
    return { kind: 'succeeded', value: httpOutput(effect, response) };
  } catch (error) {
    if (error instanceof FlowError) return { kind: 'failed', problem: error.problem };
    if (!(error instanceof OutboundError) || error.kind === 'ABORTED') throw error;
    if (error.kind === 'TIMEOUT') return left <= options.longestMs ? TIMED_OUT : tooLong(timeoutMs);
    return { kind: 'failed', problem: errorOf(error.kind, error.message).problem };
  }
}

/** What makes a repeat known, and the trace unless the flow names one. */
function ownHeadersOf({ headers }: HttpEffect, idempotencyKey: string, traceparent: string) {
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'traceparent');
  return { 'idempotency-key': idempotencyKey, ...(named ? {} : { traceparent }) };
}

/** Path and query stay out of the span: they may hold what is secret. */
function attributesOf({ method, url }: HttpEffect): Attributes {
  const target = URL.parse(url);
  if (!target) return { 'http.request.method': method };
  const { hostname, port, protocol } = target;
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}

function asSpan(
  effect: HttpEffect,
  send: (traceparent: string) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  const { method } = effect;
  const attributes = () => attributesOf(effect);
  return spanIn(currentTrace(), method, 'outbound', attributes, async (traceparent, span) => {
    const response = await send(span ? traceparent : childOf(traceparent));
    span?.set({ 'http.response.status_code': response.status });
    return response;
  });
}

function errorOf(kind: Exclude<OutboundError['kind'], 'ABORTED' | 'TIMEOUT'>, detail: string) {
  switch (kind) {
    case 'TARGET_REFUSED':
      return flowError('validation', 'TARGET_REFUSED', detail);
    case 'INVALID_REQUEST':
      return flowError('expression', 'EXPRESSION_FAILED', detail);
    case 'TOO_LARGE':
      return flowError('runtime', 'OUTPUT_TOO_LARGE', detail);
    case 'CONNECTION_FAILED':
      return flowError('communication', 'CONNECTION_FAILED', detail);
  }
}
