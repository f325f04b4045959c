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
import { build } from '../environment/build.ts';
import type { Environment } from '../environment/variables.ts';
import { logger } from '../support/logging.ts';
import { type Recorder, recordSpans, type SpanKind } from '../support/tracing/spans.ts';

/** Milliseconds that the end of the process waits for the last spans to be sent; then the spans are dropped. */
const FLUSH_TIMEOUT_MS = 1_000;

const KIND: Record<SpanKind, OtelKind> = {
  request: OtelKind.SERVER,
  action: OtelKind.INTERNAL,
  run: OtelKind.INTERNAL,
  outbound: OtelKind.CLIENT,
};
const ERROR = { code: 2 } as const; // SpanStatusCode.ERROR

/**
 * Records spans and sends them by OTLP (HTTP, JSON). The exporter itself reads the address, headers and timeout
 * from the variables `OTEL_EXPORTER_OTLP_*`. The returned function sends the last spans and ends the export.
 */
export function exportSpans(env: Environment): () => Promise<void> {
  diag.setLogger({
    error: logFailure,
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
      setTimeout(resolve, FLUSH_TIMEOUT_MS).unref();
    });
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  };
}

/** The attributes of every span of this process. */
const resourceOf = (env: Environment) => ({
  'service.name': 'workspace-automation',
  'service.version': build.version,
  ...(build.commit === 'unknown' ? {} : { 'vcs.ref.head.revision': build.commit }),
  'service.instance.id': `${hostname()}-${process.pid}`,
  'workspace_automation.services': env.SERVICES,
  ...env.OTEL_RESOURCE_ATTRIBUTES,
  ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
});

/** Logs an error of the exporter, which is JSON. Its line belongs to no trace: a timer sends the spans. */
function logFailure(report: string): void {
  const why = /"message":"((?:[^"\\]|\\.){0,200})/.exec(report)?.[1] ?? report.slice(0, 200);
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

/** The sampler that `OTEL_TRACES_SAMPLER` and its argument name. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Environment) {
  const own: Sampler = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: own }) : own;
}
