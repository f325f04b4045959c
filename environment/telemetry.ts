import { z } from 'zod';
import { readResourceAttributes } from './values/resource-attributes.ts';
import { httpUrl, oneOf, optional, ratio, wholeNumber, withDefault } from './values/text-values.ts';

/** The accepted protocols. Spans are JSON for both, because OTLP collectors accept JSON and protobuf at one address. */
const OTLP_PROTOCOLS = ['http/json', 'http/protobuf'] as const;

const resourceAttributes = z
  .string()
  .transform(readResourceAttributes)
  .refine((attributes) => attributes !== null, 'name=value pairs, comma separated');

/** The samplers, by their OpenTelemetry names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const boolean = z
  .string()
  .toLowerCase()
  .pipe(oneOf(['true', 'false']));

/** The variables of Prometheus metrics and, under their OpenTelemetry names, of spans. */
export const telemetryVariables = {
  METRICS_PORT: optional(wholeNumber(0, 65_535)),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(httpUrl),
  OTEL_EXPORTER_OTLP_PROTOCOL: optional(oneOf(OTLP_PROTOCOLS)),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional(oneOf(OTLP_PROTOCOLS)),
  OTEL_RESOURCE_ATTRIBUTES: withDefault(resourceAttributes, ''),
  OTEL_SDK_DISABLED: optional(boolean),
  OTEL_SERVICE_NAME: optional(z.string()),
  OTEL_TRACES_EXPORTER: withDefault(oneOf(['otlp', 'none']), 'otlp'),
  OTEL_TRACES_SAMPLER: withDefault(oneOf(SAMPLERS), 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: withDefault(ratio, '1'),
};
