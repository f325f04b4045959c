import {
  connectionOf,
  NatsTransporter,
  RemoteCalls,
  type StreamLimits,
} from '@workspace-automation/moleculer-nats';
import { type Middleware, ServiceBroker } from 'moleculer';
import { natsProblems } from '../../middlewares/nats-problems.ts';
import { brokerOptions } from '../../moleculer.config.ts';

/** The namespace of the nodes, which begins their subjects. */
export const NAMESPACE = 'calls-test';

/** A node as a process of the service has one, in this process, and the lines of its log. */
export function brokerOn(
  url: string,
  nodeID: string,
  streamLimits?: StreamLimits,
  middlewares: Middleware[] = [],
): { broker: ServiceBroker; lines: string[] } {
  const lines: string[] = [];
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];
  const createLogger = (least: string) =>
    Object.fromEntries(
      levels.map((level) => [
        level,
        (line: unknown) => {
          if (levels.indexOf(level) <= levels.indexOf(least)) lines.push(`${level}: ${line}`);
        },
      ]),
    );
  const broker = new ServiceBroker({
    ...brokerOptions,
    nodeID,
    namespace: NAMESPACE,
    logger: { type: 'Pino', options: { createLogger } } as never,
    disableBalancer: true,
    transporter: new NatsTransporter(connectionOf(url), natsProblems, streamLimits) as never,
    middlewares: [...middlewares, RemoteCalls(natsProblems)],
  });
  return { broker, lines };
}

/** The connection of a broker that `brokerOn` made. */
export const transporterOf = (broker: ServiceBroker): NatsTransporter =>
  (broker.transit as unknown as { tx: NatsTransporter }).tx;
