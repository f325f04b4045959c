import fc from 'fast-check';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { similarNames } from '../../../environment/similar-names.ts';
import { misspeltNames, VARIABLE_NAMES } from '../../../environment/variables.ts';

const meant = (name: string, others: Record<string, string> = {}): string | undefined =>
  misspeltNames({ ...others, [name]: 'x' })[0]?.known;

test.each([
  ['OUTBOUND_ALOW', 'OUTBOUND_ALLOW'],
  ['OUTBOUND_ALLOWED', 'OUTBOUND_ALLOW'],
  ['outbound_allow', 'OUTBOUND_ALLOW'],
  ['OUTBUOND_ALLOW', 'OUTBOUND_ALLOW'],
  ['MONGO_URI', 'MONGODB_URI'],
  ['MONGODB_URL', 'MONGODB_URI'],
  ['MONGODB_URL_FILE', 'MONGODB_URI_FILE'],
  ['NATS_URI', 'NATS_URL'],
  ['SERVICE', 'SERVICES'],
  ['DATADIR', 'DATA_DIR'],
  ['WORKSPACE_RUN_CONCURENCY', 'WORKSPACE_RUN_CONCURRENCY'],
  ['MAIL_FROM_FILE', 'MAIL_FROM'], // no secret, so that no file is read for it
  ['PORT_FILE', 'PORT'],
])('%s is held for %s', (name, known) => {
  expect(meant(name)).toBe(known);
  expect(meant(name, { [known]: 'y' })).toBeUndefined(); // whoever sets both means both
  expect(misspeltNames({ [name]: '' })).toEqual([]);
});

/** One typing error: a letter left out, added, exchanged, or swapped with the next. */
const withError = (name: string, at: number, kind: number): string => {
  const [before, letter, next, rest] = [
    name.slice(0, at),
    name.charAt(at),
    name.charAt(at + 1),
    name.slice(at + 2),
  ];
  return [
    `${before}${next}${rest}`,
    `${before}${letter}Q${next}${rest}`,
    `${before}Q${next}${rest}`,
    `${before}${next}${letter}${rest}`,
  ][kind] as string;
};

test('one typing error in any name but the shortest is found', () => {
  const names = [...VARIABLE_NAMES].filter((name) => name.length >= 8);
  expect(names.length).toBeGreaterThan(60);
  const error = fc.record({
    name: fc.constantFrom(...names),
    at: fc.nat({ max: 40 }),
    kind: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(error, ({ name, at, kind }) => {
      const typed = withError(name, at % name.length, kind);
      fc.pre(!VARIABLE_NAMES.has(typed));
      expect(meant(typed)).toBe(name);
    }),
  );
});

/** What shells, systemd, Node.js, npm, proxies, other databases and continuous integration set. */
const USUAL = `
HOME PATH PWD OLDPWD SHLVL SHELL LOGNAME USER USERNAME HOSTNAME HOSTTYPE MACHTYPE OSTYPE HOSTS PORTS POST MAIL MAILCHECK
MAILPATH TERM LANG LANGUAGE LC_ALL LC_CTYPE TZ EDITOR VISUAL PAGER DISPLAY TMPDIR COLUMNS LINES RANDOM SECONDS host port
SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK SUDO_USER SUDO_COMMAND XDG_DATA_HOME XDG_DATA_DIRS XDG_RUNTIME_DIR
XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS LD_LIBRARY_PATH LD_PRELOAD MALLOC_ARENA_MAX
NOTIFY_SOCKET LISTEN_FDS LISTEN_PID LISTEN_FDNAMES INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MAINPID MANAGERPID
CREDENTIALS_DIRECTORY STATE_DIRECTORY RUNTIME_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY
WATCHDOG_USEC WATCHDOG_PID MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE
NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_DEBUG NODE_VERSION NODE_NO_WARNINGS NODE_ICU_DATA
NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_ENV_PROXY UV_THREADPOOL_SIZE YARN_VERSION INIT_CWD COLOR FORCE_COLOR NO_COLOR DEBUG
npm_config_cache npm_config_registry npm_execpath npm_lifecycle_event npm_package_name npm_package_version npm_command
HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR
DATABASE_URL REDIS_URL PGHOST PGPORT PGUSER MONGO_INITDB_ROOT_USERNAME MONGO_INITDB_ROOT_PASSWORD MONGO_INITDB_DATABASE
NATS_HOST NATS_USER NATS_PASSWORD SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASSWORD LOG_FORMAT LOG_FILE PUBLIC_IP PUBLIC_KEY
CI GITHUB_ACTIONS GITHUB_SHA GITHUB_REF GITLAB_CI CI_COMMIT_SHA BUILD_NUMBER BUILD_ID BUILD_URL BUILD_TAG JOB_NAME
GIT_COMMIT GIT_BRANCH SOURCE_DATE_EPOCH AWS_REGION AWS_ACCESS_KEY_ID DOCKER_HOST container POD_NAME POD_IP NODE_NAME
KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS
`
  .trim()
  .split(/\s+/);

/** What OpenTelemetry defines beside the variables of the service; its exporter reads some of them. */
const OF_OPENTELEMETRY = `
OTEL_PROPAGATORS OTEL_LOG_LEVEL OTEL_ENTITIES OTEL_BSP_SCHEDULE_DELAY OTEL_BSP_EXPORT_TIMEOUT OTEL_BSP_MAX_QUEUE_SIZE
OTEL_BSP_MAX_EXPORT_BATCH_SIZE OTEL_BLRP_SCHEDULE_DELAY OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT OTEL_ATTRIBUTE_COUNT_LIMIT
OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT OTEL_SPAN_EVENT_COUNT_LIMIT OTEL_SPAN_LINK_COUNT_LIMIT OTEL_LOGS_EXPORTER
OTEL_METRICS_EXPORTER OTEL_METRICS_EXEMPLAR_FILTER OTEL_METRIC_EXPORT_INTERVAL OTEL_METRIC_EXPORT_TIMEOUT
OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_CERTIFICATE
OTEL_EXPORTER_OTLP_CLIENT_KEY OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE OTEL_EXPORTER_OTLP_INSECURE
OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TRACES_TIMEOUT OTEL_EXPORTER_OTLP_TRACES_COMPRESSION
OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_EXPORTER_OTLP_METRICS_PROTOCOL OTEL_EXPORTER_OTLP_LOGS_ENDPOINT
OTEL_EXPORTER_OTLP_LOGS_PROTOCOL OTEL_EXPORTER_PROMETHEUS_HOST OTEL_EXPORTER_PROMETHEUS_PORT OTEL_CONFIG_FILE
`
  .trim()
  .split(/\s+/);

/** What Kubernetes sets in each pod for a Service of the same namespace, beside the variables of the service. */
const OF_KUBERNETES = [...SERVICE_NAMES, 'nats', 'mongodb', 'mongo', 'metrics', 'smtp', 'gateway']
  .map((name) => name.toUpperCase().replaceAll('-', '_'))
  .flatMap((name) =>
    ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_3000_TCP']
      .concat(['PORT_3000_TCP_PROTO', 'PORT_3000_TCP_PORT', 'PORT_3000_TCP_ADDR'])
      .map((end) => `${name}_${end}`),
  )
  .filter((name) => !VARIABLE_NAMES.has(name));

test.each([
  ['machines and tools', USUAL],
  ['OpenTelemetry', OF_OPENTELEMETRY],
  ['Kubernetes', OF_KUBERNETES],
])('no variable of %s is held for one of the service', (_, names) => {
  expect(similarNames(names, VARIABLE_NAMES)).toEqual([]);
});
