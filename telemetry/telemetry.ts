import type { ServiceBroker } from 'moleculer';
import type { Registry } from 'prom-client';
import { asSystem } from '../contract/caller.ts';
import { environment } from '../environment/environment.ts';
import type { Environment } from '../environment/variables.ts';
import { brokerOptions } from '../moleculer.config.ts';
import type { Actions } from '../services/contracts.ts';
import { logger } from '../support/logging.ts';
import type { Question } from './collect-metrics.ts';

export interface Telemetry {
  /** Lets metrics ask the services of this process through its broker. */
  observe(broker: ServiceBroker): void;
  stop(): Promise<void>;
}

/**
 * Starts the metrics for Prometheus and the spans for a collector, as far as the environment sets them. Starts
 * before the broker, and loads no module of a part that is not set.
 */
export async function startTelemetry(): Promise<Telemetry> {
  let broker: ServiceBroker | undefined;
  const stops: (() => Promise<void>)[] = [];
  if (wantsSpans(environment)) {
    const { exportSpans } = await import('./otlp.ts');
    stops.push(exportSpans(environment));
  }
  if (environment.METRICS_PORT !== undefined) {
    stops.push(await startMetrics(environment.METRICS_PORT, () => broker));
  }
  return {
    observe(observed) {
      broker = observed;
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

const wantsSpans = (env: Environment): boolean =>
  (env.OTEL_EXPORTER_OTLP_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined &&
  env.OTEL_TRACES_EXPORTER !== 'none' &&
  env.OTEL_SDK_DISABLED !== 'true';

async function startMetrics(
  port: number,
  brokerOf: () => ServiceBroker | undefined,
): Promise<() => Promise<void>> {
  const [{ collectMetrics }, { serveMetrics }] = await Promise.all([
    import('./collect-metrics.ts'),
    import('./metrics-server.ts'),
  ]);
  const registry = collectMetrics({
    services: environment.SERVICES,
    nats: brokerOptions.transporter as { connected: boolean } | undefined,
    ask: (action) => ask(brokerOf(), action),
  });
  return serveOrExit(serveMetrics, registry, port);
}

/** Asks a service of this process. Rejects before it has started. */
async function ask<N extends Question>(
  broker: ServiceBroker | undefined,
  action: N,
): Promise<Actions[N]['result']> {
  if (!broker) throw new Error('the broker is not created yet');
  return broker.call<Actions[N]['result'], object>(action, {}, asSystem('telemetry'));
}

async function serveOrExit(
  serveMetrics: typeof import('./metrics-server.ts').serveMetrics,
  registry: Registry,
  port: number,
): Promise<() => Promise<void>> {
  try {
    const { url, stop } = await serveMetrics(registry, { host: environment.HOST, port });
    logger.info({ url }, 'Metrics are served');
    return stop;
  } catch (error) {
    process.stderr.write(`METRICS_PORT: ${port} cannot be had (${(error as Error).message}).\n`);
    process.exit(1);
  }
}
