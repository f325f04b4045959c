import type { Registry } from 'prom-client';
import type { ServiceName } from '../environment/process.ts';
import { isDatabaseFull } from '../mixins/database/storage-probe.ts';
import type { Actions } from '../services/contracts.ts';
import { gaugeBuild } from './build-metrics.ts';
import { gaugeFailing, gaugeOldestWaiting } from './delivery-metrics.ts';
import { gaugeBacklog, gaugeNats, gaugeSandbox, gaugeStorage } from './gauges.ts';
import { countDiagnosticEvents } from './metrics.ts';
import { gaugeDueSchedules } from './schedule-metrics.ts';

/** The actions that gauges ask at each scrape. */
export type Question =
  | 'runs.backlog'
  | 'triggers.dueSchedules'
  | 'events.longestFailures'
  | 'events.oldestWaiting';

interface MetricSources {
  /** The services of this process. */
  services: readonly ServiceName[];
  /** The transporter; undefined for a process without NATS. */
  nats: { connected: boolean } | undefined;
  /** Asks a service of this process. Rejects before the service has started. */
  ask: <N extends Question>(action: N) => Promise<Actions[N]['result']>;
}

/** Makes the registry of all metrics of this process, which count from now on. */
export function collectMetrics({ services, nats, ask }: MetricSources): Registry {
  const registry = countDiagnosticEvents();
  gaugeBuild(registry);
  gaugeSandbox(registry);
  gaugeStorage(registry, isDatabaseFull);
  if (nats) gaugeNats(registry, () => nats.connected);
  if (services.includes('runs')) gaugeBacklog(registry, () => ask('runs.backlog'));
  if (services.includes('triggers')) {
    gaugeDueSchedules(registry, () => ask('triggers.dueSchedules'));
  }
  if (services.includes('events')) {
    gaugeFailing(registry, () => ask('events.longestFailures'));
    gaugeOldestWaiting(registry, () => ask('events.oldestWaiting'));
  }
  return registry;
}
