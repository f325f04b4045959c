import { hostname } from 'node:os';
import {
  type Context,
  diag,
  SpanKind as OtelKind,
  ROOT_CONTEXT,
  type Tracer,
  trace,
} from '@opentelemetry/api';
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
import {
  presentService,
  type Recorder,
  recordSpans,
  type SpanKind,
} from '../support/tracing/spans.ts';

/** Milliseconds that the end of the process waits for the last spans to be sent; then the spans are dropped. */
const FLUSH_TIMEOUT_MS = 1_000;

const KIND: Record<SpanKind, OtelKind> = {
  internal: OtelKind.INTERNAL,
  client: OtelKind.CLIENT,
  server: OtelKind.SERVER,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
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
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
  recordSpans(recorderOf(new ServiceTracers(env, processor)));
  return async () => {
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, FLUSH_TIMEOUT_MS).unref();
    });
    await Promise.race([processor.shutdown().catch(() => undefined), late]);
  };
}

/** The default of `OTEL_SERVICE_NAME`. */
const SYSTEM_NAME = 'workspace-automation';

/** The tracers of the services of this process. A service has a resource of its own; all share one queue and exporter. */
class ServiceTracers {
  readonly #env: Environment;
  readonly #processor: BatchSpanProcessor;
  readonly #sampler: Sampler;
  readonly #tracers = new Map<string | undefined, Tracer>();

  constructor(env: Environment, processor: BatchSpanProcessor) {
    this.#env = env;
    this.#processor = processor;
    this.#sampler = samplerOf(env);
  }

  /** @param service undefined for work that belongs to no service */
  tracerOf(service: string | undefined): Tracer {
    const known = this.#tracers.get(service);
    if (known) return known;
    const tracer = new TracerProvider({
      resource: resourceFromAttributes(resourceOf(this.#env, service)),
      sampler: this.#sampler,
      spanProcessors: [this.#processor],
    }).getTracer(SYSTEM_NAME, build.version);
    this.#tracers.set(service, tracer);
    return tracer;
  }
}

/** The attributes of every span of one service of this process. */
function resourceOf(env: Environment, service: string | undefined) {
  const { 'service.name': named = SYSTEM_NAME, ...given } = env.OTEL_RESOURCE_ATTRIBUTES;
  const system = env.OTEL_SERVICE_NAME || named;
  return {
    'service.namespace': SYSTEM_NAME,
    'service.version': build.version,
    ...(build.commit === 'unknown' ? {} : { 'vcs.ref.head.revision': build.commit }),
    'service.instance.id': `${hostname()}-${process.pid}`,
    ...given,
    'service.name': service === undefined ? system : `${system}-${service}`,
  };
}

/** Logs an error of the exporter, which is JSON. Its line belongs to no trace: a timer sends the spans. */
function logFailure(report: string): void {
  const why = /"message":"((?:[^"\\]|\\.){0,200})/.exec(report)?.[1] ?? report.slice(0, 200);
  logger.warn({ traceId: undefined, spanId: undefined }, `Spans could not be sent: ${why}`);
}

function recorderOf(tracers: ServiceTracers): Recorder {
  return {
    begin(parent, { name, kind, attributes, service = presentService() }) {
      const options = { kind: KIND[kind], attributes };
      const span = tracers.tracerOf(service).startSpan(name, options, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        set: (more) => void span.setAttributes(more),
        rename: (to) => void span.updateName(to),
        fail: (errorType) => void span.setStatus(ERROR).setAttribute('error.type', errorType),
        end: () => span.end(),
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
