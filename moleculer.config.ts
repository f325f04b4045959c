import { hostname } from 'node:os';
import { connectionOf, NatsTransporter, nodeIdOf } from '@workspace-automation/moleculer-nats';
import type { BrokerOptions } from 'moleculer';
import { ProblemRegenerator } from './contract/problem-regenerator.ts';
import { build } from './environment/build.ts';
import { environment } from './environment/environment.ts';
import { NAMESPACE } from './environment/namespace.ts';
import { natsProblems } from './middlewares/nats-problems.ts';
import { brokerLogLevel, logger } from './support/logging.ts';

/** Milliseconds that a call may take without a timeout of its own. Beyond them its caller gets 504. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Seconds between two heartbeats of a node. */
const HEARTBEAT_INTERVAL_S = 2;
/** Seconds without a heartbeat after which other nodes count a node as gone. */
const HEARTBEAT_TIMEOUT_S = 10;
/** Milliseconds in which services that start together are announced together. */
const SERVICES_DEBOUNCE_MS = 50;
/** Milliseconds that a stop waits for calls in flight, unless the stop says otherwise. Beyond them services stop. */
const CALLS_IN_FLIGHT_MS = 5_000;

const nats = environment.NATS_URL
  ? connectionOf(environment.NATS_URL, environment.NATS_CA)
  : undefined;

/** The name of a node. Over NATS the name begins with the process's NATS user. */
export const nodeIdFor = (name: string): string => nodeIdOf(nats?.user, name);

/** The broker's options, from the environment. Middlewares are added by `server.ts`. */
export const brokerOptions: BrokerOptions = {
  namespace: NAMESPACE,
  nodeID: nodeIdFor(`${hostname()}-${process.pid}`),
  metadata: { ...build, startedAt: new Date().toISOString() }, // other nodes and the console read it
  ...(nats ? { transporter: new NatsTransporter(nats, natsProblems) as never } : {}),
  transit: { serviceChangedDebounceTime: SERVICES_DEBOUNCE_MS } as never,
  errorRegenerator: new ProblemRegenerator(),
  logger: { type: 'Pino', options: { createLogger } } as never,
  logLevel: { TRANSPORTER: environment.LOG_LEVEL, '**': brokerLogLevel } as never,
  validator: false, // runs outside every middleware, so that an anonymous caller would get 400 before 401
  requestTimeout: REQUEST_TIMEOUT_MS,
  heartbeatInterval: HEARTBEAT_INTERVAL_S,
  heartbeatTimeout: HEARTBEAT_TIMEOUT_S,
  tracking: { enabled: true, shutdownTimeout: CALLS_IN_FLIGHT_MS },
  disableBalancer: environment.NATS_URL !== undefined, // queue groups of NATS choose; without it every call throws
  metrics: false,
  tracing: false,
  skipProcessEventRegistration: true, // `server.ts` stops the process in its own order
};

/** Moleculer logs through the process's own logger. */
function createLogger(level: string, bindings: Record<string, unknown>) {
  return logger.child({ module: bindings.mod, service: bindings.svc }, { level });
}
