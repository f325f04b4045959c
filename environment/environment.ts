import { areAddresses, hasCredentials } from '@workspace-automation/moleculer-nats/address';
import { AllowList } from '@workspace-automation/outbound-http';
import { z } from 'zod';
import type { RateLimit } from '../support/token-buckets.ts';
import { type KeySet, readKeySet } from './key-set.ts';
import { quotaBytes, quotaCount } from './quota-values.ts';
import { readResourceAttributes } from './resource-attributes.ts';
import { withSecretFiles } from './secret-files.ts';
import { TrustedProxies } from './trusted-proxies.ts';

export const SERVICE_NAMES = ['api', 'identity', 'workspaces', 'issues', 'flows', 'runs'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

const list = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

/** An unset variable and an empty one mean the same: the default. */
const optional = <T extends z.ZodType>(type: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), type.optional());
const withDefault = <T extends z.ZodType<unknown, string>>(type: T, fallback: string) =>
  z.preprocess((value) => (value === undefined || value === '' ? fallback : value), type);

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((n) => n >= least && n <= most, `a whole number from ${least} to ${most}`);
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });
const url = (protocols: RegExp, what: string) =>
  z.url({ protocol: protocols, error: what }).refine((text) => !text.includes(' '), what);

/** Not a URL of the WHATWG: a replica set's address has several hosts, each with a port. */
const mongoAddress = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/, 'a mongodb:// or mongodb+srv:// address');

const ratio = z
  .string()
  .transform(Number)
  .refine((n) => n >= 0 && n <= 1, 'a number from 0 to 1');
/** Spans are sent as JSON: whoever takes protobuf over HTTP takes that at the same address. */
const OTLP_PROTOCOLS = ['http/json', 'http/protobuf'] as const;
const resourceAttributes = z
  .string()
  .transform(readResourceAttributes)
  .refine((attributes) => attributes !== null, 'name=value pairs, comma separated');
/** As OpenTelemetry names them. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const keySet = z
  .string()
  .transform(readKeySet)
  .refine((keys): keys is KeySet => keys !== null, {
    error: 'a JWK set of ES256 private keys, each with a kid of its own',
  });

function isAllowList(entries: readonly string[]): boolean {
  try {
    return new AllowList(entries) !== undefined;
  } catch {
    return false; // one of the entries is neither
  }
}

function readProxies(entries: readonly string[]): TrustedProxies | null {
  try {
    return new TrustedProxies(entries);
  } catch {
    return null; // one of the entries is no range
  }
}

/** `600/60`: 600 in 60 seconds; null for `off`. */
const rateLimit = z
  .string()
  .regex(/^(?:off|[1-9]\d{0,5}\/[1-9]\d{0,4})$/, 'count/seconds such as 600/60, or off')
  .transform((text): RateLimit | null => {
    if (text === 'off') return null;
    const [count = 0, seconds = 0] = text.split('/').map(Number);
    return { count, seconds };
  });

const serviceList = z
  .string()
  .transform(list)
  .pipe(z.array(oneOf(SERVICE_NAMES)).min(1, `some of ${SERVICE_NAMES.join(', ')}`));

/** Every variable the service reads, its default and what it may be. Nothing else reads `process.env`, but the exporter of spans its `OTEL_EXPORTER_OTLP_*`. */
const Variables = z.object({
  PORT: withDefault(wholeNumber(0, 65_535), '3000'),
  HOST: withDefault(z.string().regex(/^[\w.:-]+$/, 'a host name or address'), '127.0.0.1'),
  MONGODB_URI: optional(mongoAddress),
  DATA_DIR: withDefault(z.string(), './data'),
  NATS_URL: optional(z.string().refine(areAddresses, 'nats:// or tls:// addresses')),
  SERVICES: withDefault(serviceList, SERVICE_NAMES.join(',')),
  NODE_ENV: withDefault(oneOf(['development', 'test', 'production']), 'development'),
  DEVELOPMENT_ON_NETWORK: optional(oneOf(['1'])),
  LOG_LEVEL: withDefault(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
  ),
  PUBLIC_URL: optional(url(/^https?$/, 'an http:// or https:// address')),
  CORS_ORIGINS: withDefault(
    z
      .string()
      .transform(list)
      .pipe(
        z.array(
          z.string().refine((o) => URL.canParse(o) && new URL(o).origin === o, {
            error: 'origins such as https://app.example, comma separated',
          }),
        ),
      ),
    '',
  ),
  JWT_PRIVATE_KEYS: optional(keySet),
  OPERATOR_EMAIL_SUFFIXES: withDefault(z.string().transform(list), ''),
  REGISTRATION: withDefault(oneOf(['open', 'closed']), 'open'),
  MAX_CONNECTIONS: withDefault(wholeNumber(1, 1_000_000), '10000'),
  HEADERS_TIMEOUT_MS: withDefault(wholeNumber(1, 600_000), '10000'),
  REQUEST_TIMEOUT_MS: withDefault(wholeNumber(1, 600_000), '30000'),
  RATE_LIMIT: withDefault(rateLimit, '600/60'),
  SIGN_IN_LIMIT: withDefault(rateLimit, '10/60'),
  TRUSTED_PROXIES: withDefault(
    z
      .string()
      .transform(list)
      .transform(readProxies)
      .refine((proxies) => proxies !== null, 'CIDR ranges or addresses, comma separated'),
    '',
  ),
  OUTBOUND_ALLOW: withDefault(
    z
      .string()
      .transform(list)
      .refine(isAllowList, 'CIDR ranges or host:port targets, comma separated'),
    '',
  ),
  METRICS_PORT: optional(wholeNumber(0, 65_535)),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url(/^https?$/, 'an http:// or https:// address')),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(url(/^https?$/, 'an http:// or https:// address')),
  OTEL_EXPORTER_OTLP_PROTOCOL: optional(oneOf(OTLP_PROTOCOLS)),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional(oneOf(OTLP_PROTOCOLS)),
  OTEL_RESOURCE_ATTRIBUTES: withDefault(resourceAttributes, ''),
  OTEL_SDK_DISABLED: optional(
    z
      .string()
      .toLowerCase()
      .pipe(oneOf(['true', 'false'])),
  ),
  OTEL_SERVICE_NAME: optional(z.string()),
  OTEL_TRACES_EXPORTER: withDefault(oneOf(['otlp', 'none']), 'otlp'),
  OTEL_TRACES_SAMPLER: withDefault(oneOf(SAMPLERS), 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: withDefault(ratio, '1'),
  STOP_NOTICE_MS: optional(wholeNumber(0, 5_000)),
  RUN_CONCURRENCY: withDefault(wholeNumber(1, 1_000), '48'),
  WORKSPACE_RUN_CONCURRENCY: withDefault(wholeNumber(1, 100_000), '100'),
  WORKSPACES_PER_PERSON: withDefault(quotaCount, '100'),
  QUEUED_RUNS_PER_WORKSPACE: withDefault(quotaCount, '10000'),
  RUN_BYTES_PER_WORKSPACE: withDefault(quotaBytes, '10GiB'),
  RUN_RETENTION_DAYS: withDefault(wholeNumber(1, 36_500), '30'),
  WAITING_PER_CALLER: withDefault(wholeNumber(1, 100_000), '50'),
  WAITING_PER_PROCESS: withDefault(wholeNumber(1, 100_000), '2000'),
});

export type Environment = z.output<typeof Variables>;

/** Variables whose value never appears in a message, and that `<NAME>_FILE` may give instead. */
const SECRET = new Set(['JWT_PRIVATE_KEYS', 'MONGODB_URI', 'NATS_URL']);
/** Every name that means something in the environment. */
export const VARIABLE_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(Variables.shape),
  ...[...SECRET].map((name) => `${name}_FILE`),
]);
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

/**
 * Reads the environment once. Throws an Error whose message is one line: the variable, what it was
 * (secrets apart) and what it may be.
 */
export function readEnvironment(given: Record<string, string | undefined>): Environment {
  const source = withSecretFiles(given, SECRET);
  const parsed = Variables.safeParse(source);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    const was = SECRET.has(name) ? 'the value given' : JSON.stringify(source[name]);
    throw new Error(`${name}: ${was} is not possible; it may be ${issue?.message}.`);
  }
  refuseContradictions(parsed.data);
  return parsed.data;
}

function refuseContradictions(env: Environment): void {
  if (env.NODE_ENV === 'production') {
    if (!env.MONGODB_URI)
      throw new Error('MONGODB_URI: unset, but required when NODE_ENV=production.');
    if (!env.JWT_PRIVATE_KEYS && env.SERVICES.includes('identity')) {
      throw new Error(
        'JWT_PRIVATE_KEYS: unset, but required of the service identity when NODE_ENV=production.',
      );
    }
    if (env.NATS_URL && !hasCredentials(env.NATS_URL)) {
      throw new Error(
        'NATS_URL: has no user:password@ or token@, but they are required when NODE_ENV=production: whoever connects may call everything.',
      );
    }
  } else if (!LOOPBACK.has(env.HOST) && env.DEVELOPMENT_ON_NETWORK !== '1') {
    throw new Error(
      `HOST: ${JSON.stringify(env.HOST)} is not a loopback address; in development set DEVELOPMENT_ON_NETWORK=1 to listen on it.`,
    );
  }
  if (!env.NATS_URL && env.SERVICES.length < SERVICE_NAMES.length) {
    throw new Error('NATS_URL: unset, but required when SERVICES leaves a service out.');
  }
}

/** The environment of this process. A bad value ends the process with one line. */
export const environment: Environment = (() => {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
})();

/** In development the service makes its own keys, database and outbox; production refuses all three. */
export const isDevelopment = environment.NODE_ENV !== 'production';

/** Development that nobody else can reach: here alone the outbox can be read. */
export const isLocalDevelopment = isDevelopment && LOOPBACK.has(environment.HOST);

/** Milliseconds for which a gateway that stops says that it is not ready before it refuses connections. */
export const stopNoticeMs = environment.STOP_NOTICE_MS ?? (isDevelopment ? 500 : 3_000);

/**
 * The service's own address: in links, as issuer and audience of tokens. Without a fixed port there is
 * none to name, and every process has to name the same.
 */
export const publicUrl: string = environment.PUBLIC_URL?.replace(/\/+$/, '') ?? defaultUrl();

function defaultUrl(): string {
  const { HOST, PORT } = environment;
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  return PORT === 0 ? `http://${host}` : `http://${host}:${PORT}`;
}
