import {
  FlowError,
  flowError,
  type HttpEffect,
  httpOutput,
  MAX_OUTPUT_BYTES,
  type Task,
} from '@workspace-automation/flow-language';
import { OutboundError, type OutboundResponse } from '@workspace-automation/outbound-http';
import { childOf, currentTrace } from '../../../../../support/tracing/context.ts';
import { type Attributes, spanIn } from '../../../../../support/tracing/spans.ts';
import type { EffectContext, EffectEnd } from './effect.ts';

/**
 * Milliseconds that a call may take unless its task has a longer timeout. Then the call fails with `TASK_TIMEOUT`.
 */
const DEFAULT_CALL_MS = 60_000;
/**
 * The most milliseconds of a call, even if its task has a longer timeout. Then the call fails with `TASK_TIMEOUT`.
 */
const MAX_CALL_MS = 10 * 60_000;

/** Returns the milliseconds that a call of a task may take; the deadline of the run may end the call earlier. */
const maxCallMs = ({ timeoutMs = 0 }: Task): number =>
  Math.min(Math.max(DEFAULT_CALL_MS, timeoutMs), MAX_CALL_MS);

/**
 * Sends one HTTP request of a flow. An aborted request rejects, since the called server may have
 * carried the request out.
 */
export async function sendHttpRequest(
  effect: HttpEffect,
  { task, tools, idempotencyKey, deadline, signal }: EffectContext,
): Promise<EffectEnd> {
  const runMs = deadline - Date.now();
  const maxMs = maxCallMs(task);
  const timeoutMs = Math.min(runMs, maxMs);
  if (timeoutMs <= 0) return { kind: 'timed-out' };
  try {
    const { method, url, headers, body } = effect;
    const response = await traceRequest(effect, (traceparent) => {
      const ownHeaders = ownHeadersOf(effect, idempotencyKey, traceparent);
      const maxBytes = MAX_OUTPUT_BYTES; // a longer body never becomes an output
      const { outbound } = tools;
      return outbound.send({ method, url, headers, ownHeaders, body, timeoutMs, signal, maxBytes });
    });
    return { kind: 'succeeded', value: httpOutput(effect, response) };
  } catch (error) {
    if (error instanceof FlowError) return failWith(error);
    if (!(error instanceof OutboundError) || error.kind === 'ABORTED') throw error;
    if (error.kind !== 'TIMEOUT') return failWith(flowErrorOf(error.kind, error.message));
    return runMs <= maxMs ? { kind: 'timed-out' } : failWith(callTimeout(timeoutMs));
  }
}

const failWith = ({ problem }: FlowError): EffectEnd => ({ kind: 'failed', problem });

const callTimeout = (ms: number): FlowError =>
  flowError(
    'timeout',
    'TASK_TIMEOUT',
    `there was no whole answer within ${ms} ms; a longer timeout of the task waits for up to ${MAX_CALL_MS} ms`,
  );

/**
 * Makes the headers that the service adds: the idempotency key, and `traceparent` unless the flow sets that
 * header.
 */
function ownHeadersOf({ headers }: HttpEffect, idempotencyKey: string, traceparent: string) {
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'traceparent');
  return { 'idempotency-key': idempotencyKey, ...(named ? {} : { traceparent }) };
}

/** Makes the attributes of the span, without path and query of the request, which may hold secrets. */
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

/** Sends a request within a span of its own. */
function traceRequest(
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

/** Makes the flow's error for a failed request. */
function flowErrorOf(kind: Exclude<OutboundError['kind'], 'ABORTED' | 'TIMEOUT'>, detail: string) {
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
