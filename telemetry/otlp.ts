import { hostname } from 'node:os';
import { type Context, diag, SpanKind as OtelKind, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Environment } from '../environment/variables.ts';
import { logger } from '../support/logging.ts';
import { type Recorder, recordSpans, type SpanKind } from '../support/tracing/spans.ts';

/** Milliseconds that the end of the process waits for the last spans to be taken. */
const FLUSH_WITHIN_MS = 1_000;

const KIND: Record<SpanKind, OtelKind> = {
  request: OtelKind.SERVER,
  action: OtelKind.INTERNAL,
  run: OtelKind.INTERNAL,
  outbound: OtelKind.CLIENT,
};
const ERROR = { code: 2 } as const; // SpanStatusCode.ERROR

/**
 * Records spans and sends them by OTLP (HTTP, JSON). Where to, with which headers and within which time
 * the exporter reads from the usual variables, `OTEL_EXPORTER_OTLP_*`.
 */
export function exportSpans(env: Environment): () => Promise<void> {
  diag.setLogger({
    error: tellFailure,
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
    verbose: () => undefined,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resourceOf(env)),
    sampler: samplerOf(env),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  recordSpans(recorderOf(provider));
  return async () => {
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, FLUSH_WITHIN_MS).unref();
    });
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  };
}

/** What every span of this process has in common. */
const resourceOf = (env: Environment) => ({
  'service.name': 'workspace-automation',
  'service.instance.id': `${hostname()}-${process.pid}`,
  'workspace_automation.services': env.SERVICES,
  ...env.OTEL_RESOURCE_ATTRIBUTES,
  ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
});

/** The exporter tells of an error as JSON. The request that its timer began with has no part in it. */
function tellFailure(told: string): void {
  const why = /"message":"((?:[^"\\]|\\.){0,200})/.exec(told)?.[1] ?? told.slice(0, 200);
  logger.warn({ traceId: undefined, spanId: undefined }, `Spans could not be sent: ${why}`);
}

function recorderOf(provider: TracerProvider): Recorder {
  const tracer = provider.getTracer('workspace-automation');
  return {
    begin(parent, name, kind, attributes) {
      const span = tracer.startSpan(name, { kind: KIND[kind], attributes }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        set: (more) => void span.setAttributes(more),
        rename: (to) => void span.updateName(to),
        end(failed) {
          if (failed) span.setStatus(ERROR);
          span.end();
        },
      };
    },
  };
}

function contextOf(parent: string | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '0'] = parent.split('-');
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** As `OTEL_TRACES_SAMPLER` and its argument say. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Environment) {
  const own: Sampler = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: own }) : own;
}
