import { environment } from '../environment/environment.ts';
import type { Environment } from '../environment/variables.ts';
import { brokerOptions } from '../moleculer.config.ts';
import { logger } from '../support/logging.ts';

/**
 * Starts what the environment asks for, before anything else of the process: figures for Prometheus,
 * spans for a collector. What it does not ask for is not even loaded. Resolves with what ends it.
 */
export async function startTelemetry(): Promise<() => Promise<void>> {
  const stops: (() => Promise<void>)[] = [];
  if (wantsSpans(environment)) {
    const { exportSpans } = await import('./otlp.ts');
    stops.push(exportSpans(environment));
  }
  if (environment.METRICS_PORT !== undefined)
    stops.push(await startMetrics(environment.METRICS_PORT));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

const wantsSpans = (env: Environment): boolean =>
  (env.OTEL_EXPORTER_OTLP_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined &&
  env.OTEL_TRACES_EXPORTER !== 'none' &&
  env.OTEL_SDK_DISABLED !== 'true';

async function startMetrics(port: number): Promise<() => Promise<void>> {
  const [{ countDiagnosticEvents }, { gaugeBacklog, gaugeNats, gaugeSandbox }, { serveMetrics }] =
    await Promise.all([
      import('./metrics.ts'),
      import('./gauges.ts'),
      import('./metrics-server.ts'),
    ]);
  const registry = countDiagnosticEvents();
  gaugeSandbox(registry);
  const nats = brokerOptions.transporter as { connected: boolean } | undefined;
  if (nats) gaugeNats(registry, () => nats.connected);
  if (environment.SERVICES.includes('runs')) gaugeBacklog(registry);
  try {
    const { url, stop } = await serveMetrics(registry, { host: environment.HOST, port });
    logger.info({ url }, 'Metrics are served');
    return stop;
  } catch (error) {
    process.stderr.write(`METRICS_PORT: ${port} cannot be had (${(error as Error).message}).\n`);
    process.exit(1);
  }
}
