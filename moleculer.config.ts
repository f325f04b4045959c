import { hostname } from 'node:os';
import { connectionOf, NatsTransporter, nodeIdOf } from '@workspace-automation/moleculer-nats';
import type { BrokerOptions } from 'moleculer';
import { ProblemRegenerator } from './contract/problem-regenerator.ts';
import { environment } from './environment/environment.ts';
import { NAMESPACE } from './environment/namespace.ts';
import { natsProblems } from './middlewares/nats-problems.ts';
import { brokerLogLevel, logger } from './support/logging.ts';

const nats = environment.NATS_URL ? connectionOf(environment.NATS_URL) : undefined;

/** What others know this process by; over NATS its user has a part in it. */
export const nodeIdFor = (name: string): string => nodeIdOf(nats?.user, name);

/** The broker's options, from the environment. Middlewares are added by `server.ts`. */
export const brokerOptions: BrokerOptions = {
  namespace: NAMESPACE,
  nodeID: nodeIdFor(`${hostname()}-${process.pid}`),
  ...(nats ? { transporter: new NatsTransporter(nats, natsProblems) as never } : {}),
  transit: { serviceChangedDebounceTime: 50 } as never,
  errorRegenerator: new ProblemRegenerator(),
  logger: { type: 'Pino', options: { createLogger } } as never,
  logLevel: { TRANSPORTER: environment.LOG_LEVEL, '**': brokerLogLevel } as never,
  validator: false, // runs outside every middleware: an anonymous caller would get 400 before 401
  requestTimeout: 10_000, // a read is asked for again long before: `packages/moleculer-nats/remote-request.ts`
  heartbeatInterval: 2,
  heartbeatTimeout: 10,
  tracking: { enabled: true, shutdownTimeout: 5_000 },
  disableBalancer: environment.NATS_URL !== undefined, // queue groups of NATS choose; without it every call throws
  metrics: false,
  tracing: false,
  skipProcessEventRegistration: true, // `server.ts` stops the process in its own order
};

/** Moleculer's lines go the way of all others. */
function createLogger(level: string, bindings: Record<string, unknown>) {
  return logger.child({ module: bindings.mod, service: bindings.svc }, { level });
}
