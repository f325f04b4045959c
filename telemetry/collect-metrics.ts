import type { Registry } from 'prom-client';
import type { ServiceName } from '../environment/process.ts';
import type { Actions } from '../services/contracts.ts';
import { gaugeBacklog, gaugeNats, gaugeSandbox } from './gauges.ts';
import { countDiagnosticEvents } from './metrics.ts';

interface MetricSources {
  /** The services of this process. */
  services: readonly ServiceName[];
  /** The transporter; undefined for a process without NATS. */
  nats: { connected: boolean } | undefined;
  getBacklog: () => Promise<Actions['runs.backlog']['result']>;
}

/** Makes the registry of all metrics of this process, which count from now on. */
export function collectMetrics({ services, nats, getBacklog }: MetricSources): Registry {
  const registry = countDiagnosticEvents();
  gaugeSandbox(registry);
  if (nats) gaugeNats(registry, () => nats.connected);
  if (services.includes('runs')) gaugeBacklog(registry, getBacklog);
  return registry;
}
